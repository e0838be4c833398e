import { Button, NativeSelect, Radio, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useDatasets } from "~/api/datasets";
import { fieldErrors } from "~/api/errors";
import type { Dataset } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { counted } from "~/components/words";
import { useBeginStudy, usePresets } from "./calls";
import classes from "./Setup.module.css";

const HOME = { to: "/", label: "My studies" };

/** The beginning of a study: a title, a dataset, and one choice that sets all the rest. */
export default function NewStudyPage() {
  const datasets = useDatasets();
  const error = datasets.error;
  const possible = datasets.data?.filter(({ systems }) => systems.length > 0);
  return (
    <Page title="Start a study" parents={[HOME]}>
      <p>
        Three choices make a draft. All of them can be changed until it opens, and no expert sees
        anything before.
      </p>
      {error && (
        <ErrorNotice
          title="The datasets cannot be listed"
          error={error}
          onRetry={() => void datasets.refetch()}
        />
      )}
      {datasets.isPending && <Loading />}
      {possible?.length === 0 && (
        <p>
          A study needs a dataset with the predictions of at least one system, and there is none
          yet. <Link to="/imports">Import data</Link>
        </p>
      )}
      {possible && possible.length > 0 && <NewStudyForm datasets={possible} />}
    </Page>
  );
}

function NewStudyForm({ datasets }: { datasets: Dataset[] }) {
  const presets = usePresets();
  const begin = useBeginStudy();
  const navigate = useNavigate();
  const [title, setTitle] = useState("");
  const [dataset, setDataset] = useState(datasets.length === 1 ? (datasets[0]?.slug ?? "") : "");
  const [preset, setPreset] = useState("safe");
  const [missing, setMissing] = useState<Record<string, string>>({});
  const refused = { ...fieldErrors(begin.error), ...missing };

  function submit(event: FormEvent) {
    event.preventDefault();
    if (begin.isPending) return;
    const gaps = {
      ...(title.trim() === "" && { title: "Please give the study a title." }),
      ...(dataset === "" && { dataset: "Please choose a dataset." }),
    };
    setMissing(gaps);
    if (Object.keys(gaps).length > 0) return;
    begin.mutate(
      { title: title.trim(), dataset, preset: preset as "original" | "safe" },
      { onSuccess: (study) => void navigate(`/studies/${study.slug}/design`) },
    );
  }

  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      <TextInput
        label="Title"
        description="Experts see it above every text."
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        error={refused.title}
        maxLength={200}
        autoComplete="off"
      />
      <NativeSelect
        label="Dataset"
        value={dataset}
        onChange={(event) => setDataset(event.currentTarget.value)}
        error={refused.dataset}
        data={[
          ...(datasets.length > 1 ? [{ value: "", label: "Please choose" }] : []),
          ...datasets.map((one) => ({
            value: one.slug,
            label: `${one.title} (${counted(one.instances, "text")}, ${counted(one.systems.length, "system")})`,
          })),
        ]}
      />
      {presets.error && <ErrorNotice title="The choices cannot be shown" error={presets.error} />}
      {presets.data && (
        <Radio.Group label="Begin with" value={preset} onChange={setPreset}>
          <div className={classes.choices}>
            {presets.data.map((one) => (
              <Radio key={one.name} value={one.name} label={one.title} description={one.sentence} />
            ))}
          </div>
        </Radio.Group>
      )}
      {begin.error && <ErrorNotice title="No study was made" error={begin.error} />}
      <div>
        <Button type="submit">{begin.isPending ? "Making the draft…" : "Make the draft"}</Button>
      </div>
    </form>
  );
}
