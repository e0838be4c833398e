import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, FileInput, NativeSelect, Radio, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { useDatasets } from "~/api/datasets";
import { fieldErrors } from "~/api/errors";
import { useStudies } from "~/api/studies";
import type { Dataset } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";

import { isolated } from "~/languages/bidi";
import { inARow } from "~/languages/formats";
import { useBeginFromFile, useBeginStudy, useCopyStudy, usePresets } from "./calls";
import classes from "./Setup.module.css";

const COPY = "copy";
const FILE = "file";

/** Creating a study: a title, a dataset, and one choice that sets everything else. */
export default function NewStudyPage() {
  const { t } = useLingui();
  const datasets = useDatasets();
  const error = datasets.error;
  const possible = datasets.data?.filter(({ systems }) => systems.length > 0);
  return (
    <Page title={t`Start a study`} parents={[{ to: "/", label: t`My studies` }]}>
      <p>
        <Trans>
          To create a draft, choose a title, a dataset and a starting point. You can change the
          settings until the study opens, and experts see nothing until then.
        </Trans>
      </p>
      {error && (
        <ErrorNotice
          title={t`The datasets could not be loaded`}
          error={error}
          onRetry={() => void datasets.refetch()}
        />
      )}
      {datasets.isPending && <Loading />}
      {possible?.length === 0 && (
        <p>
          <Trans>
            A study needs a dataset with predictions from at least one system. There is no such
            dataset yet. <Link to="/imports">Import data</Link>
          </Trans>
        </p>
      )}
      {possible && possible.length > 0 && <NewStudyForm datasets={possible} />}
    </Page>
  );
}

function NewStudyForm({ datasets }: { datasets: Dataset[] }) {
  const { t } = useLingui();
  const presets = usePresets();
  const studies = useStudies();
  const begin = useBeginStudy();
  const copy = useCopyStudy();
  const fromFile = useBeginFromFile();
  const [other, setOther] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const navigate = useNavigate();
  const [title, setTitle] = useState("");
  const [address] = useSearchParams();
  const [dataset, setDataset] = useState(() => firstChoice(datasets, address.get("dataset")));
  const [preset, setPreset] = useState("safe");
  const [missing, setMissing] = useState<Record<string, string>>({});
  const way = preset === COPY || preset === FILE ? preset : "preset";
  const making = way === COPY ? copy : way === FILE ? fromFile : begin;
  const refused = { ...fieldErrors(making.error), ...missing };
  const copied = (studies.data ?? []).filter(({ role }) => role !== "expert");

  function gaps(): Record<string, string> {
    return {
      ...(title.trim() === "" && way !== FILE && { title: t`Please enter a title for the study.` }),
      ...(dataset === "" && way === "preset" && { dataset: t`Please choose a dataset.` }),
      ...(other === "" && way === COPY && { other: t`Please choose a study.` }),
      ...(!file && way === FILE && { file: t`Please choose a set-up file.` }),
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
        setMissing({ file: t`This is not a set-up file: it does not contain JSON.` });
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
        label={t`Title`}
        description={
          way === FILE
            ? t`Experts see the title above every text. If you leave it empty, the title in the file is used.`
            : t`Experts see the title above every text.`
        }
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        error={refused.title}
        maxLength={200}
        autoComplete="off"
      />
      {way !== COPY && (
        <NativeSelect
          label={t`Dataset`}
          value={dataset}
          onChange={(event) => setDataset(event.currentTarget.value)}
          error={refused.dataset}
          data={[
            ...(way === FILE
              ? [{ value: "", label: t`The dataset named in the file` }]
              : datasets.length > 1
                ? [{ value: "", label: t`Please choose` }]
                : []),
            ...datasets.map((one) => ({
              value: one.slug,
              label: datasetInWords(one),
            })),
          ]}
        />
      )}
      {presets.error && (
        <ErrorNotice title={t`The choices could not be loaded`} error={presets.error} />
      )}
      {presets.data && (
        <Radio.Group label={t`Start from`} value={preset} onChange={setPreset}>
          <div className={classes.choices}>
            {presets.data.map((one) => (
              <Radio key={one.name} value={one.name} label={one.title} description={one.sentence} />
            ))}
            {copied.length > 0 && (
              <Radio
                value={COPY}
                label={t`Another of my studies`}
                description={t`Copies its settings, questions and analysis plan, but no people and no answers.`}
              />
            )}
            <Radio
              value={FILE}
              label={t`A set-up file`}
              description={t`Downloaded from the Design tab of a study, here or on another server.`}
            />
          </div>
        </Radio.Group>
      )}
      {way === COPY && (
        <NativeSelect
          label={t`Study to copy`}
          value={other}
          onChange={(event) => setOther(event.currentTarget.value)}
          error={refused.other}
          data={[
            { value: "", label: t`Choose a study` },
            ...copied.map(({ slug, title: name }) => ({ value: slug, label: name })),
          ]}
        />
      )}
      {way === FILE && (
        <FileInput
          label={t`Set-up file`}
          placeholder={t`Choose a file`}
          accept="application/json,.json"
          value={file}
          onChange={setFile}
          error={refused.file}
        />
      )}
      {making.error && (
        <ErrorNotice title={t`The study was not created`} error={making.error}>
          {way === FILE && <Problems problems={fieldErrors(making.error)} />}
        </ErrorNotice>
      )}
      <div>
        <Button type="submit">
          {making.isPending ? t`Creating the draft…` : t`Create the draft`}
        </Button>
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
          <bdi>
            <code>{field}</code>: {sentence}
          </bdi>
        </li>
      ))}
    </ul>
  );
}

/** The dataset that the address names, if a study can be about it, or the only one. */
function firstChoice(datasets: Dataset[], asked: string | null): string {
  const named = datasets.find(({ slug }) => slug === asked);
  return (named ?? (datasets.length === 1 ? datasets[0] : undefined))?.slug ?? "";
}

function datasetInWords({ title, instances, systems }: Dataset): string {
  const name = isolated(title);
  const texts = plural(instances, { one: "# text", other: "# texts" });
  const predictions = plural(systems.length, { one: "# system", other: "# systems" });
  return `${name} (${inARow([texts, predictions])})`;
}

function readSetup(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}
