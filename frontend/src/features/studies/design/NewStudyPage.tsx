import { Button, FileInput, NativeSelect, Radio, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useDatasets } from "~/api/datasets";
import { fieldErrors } from "~/api/errors";
import { useStudies } from "~/api/studies";
import type { Dataset } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { counted } from "~/components/words";
import { useBeginFromFile, useBeginStudy, useCopyStudy, usePresets } from "./calls";
import classes from "./Setup.module.css";

const COPY = "copy";
const FILE = "file";

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
  const studies = useStudies();
  const begin = useBeginStudy();
  const copy = useCopyStudy();
  const fromFile = useBeginFromFile();
  const [other, setOther] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const navigate = useNavigate();
  const [title, setTitle] = useState("");
  const [dataset, setDataset] = useState(datasets.length === 1 ? (datasets[0]?.slug ?? "") : "");
  const [preset, setPreset] = useState("safe");
  const [missing, setMissing] = useState<Record<string, string>>({});
  const way = preset === COPY || preset === FILE ? preset : "preset";
  const making = way === COPY ? copy : way === FILE ? fromFile : begin;
  const refused = { ...fieldErrors(making.error), ...missing };
  const copied = (studies.data ?? []).filter(({ role }) => role !== "expert");

  function gaps(): Record<string, string> {
    return {
      ...(title.trim() === "" && way !== FILE && { title: "Please give the study a title." }),
      ...(dataset === "" && way === "preset" && { dataset: "Please choose a dataset." }),
      ...(other === "" && way === COPY && { other: "Choose a study." }),
      ...(!file && way === FILE && { file: "Choose the file of a set-up." }),
    };
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (making.isPending) return;
    const found = gaps();
    setMissing(found);
    if (Object.keys(found).length > 0) return;
    const onSuccess = ({ slug }: { slug: string }) => void navigate(`/studies/${slug}/design`);
    if (way === COPY) return copy.mutate({ of: other, title: title.trim() }, { onSuccess });
    if (way === FILE) {
      const setup = readSetup(await file?.text());
      if (setup === null) {
        setMissing({ file: "This is no set-up: the file is not JSON." });
        return;
      }
      return fromFile.mutate({ setup, title: title.trim(), dataset }, { onSuccess });
    }
    begin.mutate(
      { title: title.trim(), dataset, preset: preset as "original" | "safe" },
      { onSuccess },
    );
  }

  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      <TextInput
        label="Title"
        description={
          way === FILE
            ? "Experts see it above every text. Empty: that of the file."
            : "Experts see it above every text."
        }
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        error={refused.title}
        maxLength={200}
        autoComplete="off"
      />
      {way !== COPY && (
        <NativeSelect
          label="Dataset"
          value={dataset}
          onChange={(event) => setDataset(event.currentTarget.value)}
          error={refused.dataset}
          data={[
            ...(way === FILE
              ? [{ value: "", label: "The one that the file names" }]
              : datasets.length > 1
                ? [{ value: "", label: "Please choose" }]
                : []),
            ...datasets.map((one) => ({
              value: one.slug,
              label: `${one.title} (${counted(one.instances, "text")}, ${counted(one.systems.length, "system")})`,
            })),
          ]}
        />
      )}
      {presets.error && <ErrorNotice title="The choices cannot be shown" error={presets.error} />}
      {presets.data && (
        <Radio.Group label="Begin with" value={preset} onChange={setPreset}>
          <div className={classes.choices}>
            {presets.data.map((one) => (
              <Radio key={one.name} value={one.name} label={one.title} description={one.sentence} />
            ))}
            {copied.length > 0 && (
              <Radio
                value={COPY}
                label="Another study of mine"
                description="Its settings, questions and analysis plan; no people, no answers."
              />
            )}
            <Radio
              value={FILE}
              label="A set-up file"
              description="Downloaded from the Design tab of a study, here or on another server."
            />
          </div>
        </Radio.Group>
      )}
      {way === COPY && (
        <NativeSelect
          label="Study to copy"
          value={other}
          onChange={(event) => setOther(event.currentTarget.value)}
          error={refused.other}
          data={[
            { value: "", label: "Choose a study" },
            ...copied.map(({ slug, title: name }) => ({ value: slug, label: name })),
          ]}
        />
      )}
      {way === FILE && (
        <FileInput
          label="File of the set-up"
          placeholder="Choose a file"
          accept="application/json,.json"
          value={file}
          onChange={setFile}
          error={refused.file}
        />
      )}
      {making.error && (
        <ErrorNotice title="No study was made" error={making.error}>
          {way === FILE && <Problems problems={fieldErrors(making.error)} />}
        </ErrorNotice>
      )}
      <div>
        <Button type="submit">{making.isPending ? "Making the draft…" : "Make the draft"}</Button>
      </div>
    </form>
  );
}

/** What is wrong with a file, field by field. */
function Problems({ problems }: { problems: Record<string, string> }) {
  return (
    <ul>
      {Object.entries(problems).map(([field, sentence]) => (
        <li key={field}>
          <code>{field}</code>: {sentence}
        </li>
      ))}
    </ul>
  );
}

function readSetup(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}
