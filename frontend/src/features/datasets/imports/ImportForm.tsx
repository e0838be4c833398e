import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import {
  Button,
  Checkbox,
  FileInput,
  NativeSelect,
  SegmentedControl,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useMemo, useState } from "react";
import { Link } from "react-router";
import { fieldErrors } from "~/api/errors";
import type { Dataset, ImportFormat } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { isActive, JobProgress } from "~/components/JobProgress";
import { fieldsOf, readValues, startValues } from "~/components/schemaForm/fields";
import { SchemaFields } from "~/components/schemaForm/SchemaFields";
import { useCancelImport, useImport, useImportFormats } from "./calls";
import classes from "./ImportForm.module.css";
import { ReportView } from "./ReportView";
import { type ImportRequest, type Kind, sendImport } from "./upload";
import { isReady } from "./verdict";

const kinds = () => [
  { value: "dataset", label: t`A dataset` },
  { value: "predictions", label: t`System predictions` },
];

type Props = {
  datasets: Dataset[];
  /** The dataset whose page this is on, so that there is nothing to choose. */
  predictionsOf?: string;
};

/** Files are first checked, then imported: the same request twice, the second time for real. */
export function ImportForm({ datasets, predictionsOf = "" }: Props) {
  const formats = useImportFormats();
  const [kind, setKind] = useState<Kind>(predictionsOf ? "predictions" : "dataset");
  const [files, setFiles] = useState<File[]>([]);
  const [formatName, setFormatName] = useState("");
  const [chosen, setSlug] = useState(predictionsOf);
  const [title, setTitle] = useState("");
  const [labelNames, setLabelNames] = useState("");
  const [replace, setReplace] = useState(false);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [jobId, setJobId] = useState<string | null>(null);

  const fitting = formats.data?.filter((format) => format.kind === kind) ?? [];
  const format = fitting.find((one) => one.name === formatName);
  // If there is only one dataset, it is chosen.
  const slug =
    chosen || (kind === "predictions" && datasets.length === 1 ? (datasets[0]?.slug ?? "") : "");
  const [options, setOptions] = useOptions(format);
  const send = useMutation({ mutationFn: sendImport, onSuccess: (job) => setJobId(job.id) });
  const job = useImport(jobId);
  const cancel = useCancelImport(jobId);

  /** Any change invalidates the last check. */
  function changed() {
    setJobId(null);
    send.reset();
    cancel.reset();
  }

  function go(dryRun: boolean, event?: FormEvent) {
    event?.preventDefault();
    if (send.isPending) return;
    const read = readValues(options.fields, options.values);
    if (files.length === 0) read.problems.files = t`Please choose at least one file.`;
    if (slug.trim() === "") {
      read.problems.dataset =
        kind === "dataset" ? t`Please enter a short name.` : t`Please choose the dataset.`;
    }
    setProblems(read.problems);
    if (Object.keys(read.problems).length > 0) return;
    cancel.reset();
    const request: ImportRequest = {
      files,
      kind,
      format: formatName,
      dataset: slug.trim(),
      title: title.trim(),
      labelNames: kind === "dataset" ? labelNames.trim() : "",
      options: read.parameters,
      dryRun,
      replace,
    };
    send.mutate(request);
  }

  const refused = fieldErrors(send.error);
  const errors = { ...refused, ...problems };
  const isBusy = send.isPending || (job.data !== undefined && isActive(job.data.state));
  const detected = fitting.find(
    (one) => formatName === "" && one.name === job.data?.report?.format,
  );
  const isChecked = job.data !== undefined && isReady(job.data);
  const hasProblems = (job.data?.report?.problem_count ?? 0) > 0;

  return (
    <form onSubmit={(event) => go(true, event)} className={classes.form} noValidate>
      {!predictionsOf && (
        <SegmentedControl
          aria-label={t`What to import`}
          className={classes.kind}
          data={kinds()}
          value={kind}
          onChange={(value) => {
            changed();
            setKind(value as Kind);
            setFormatName("");
            setSlug("");
          }}
        />
      )}
      <div className={classes.fields}>
        <FileInput
          label={t`Files`}
          description={t`You can choose several files that belong together.`}
          placeholder={t`Choose files`}
          multiple
          value={files}
          onChange={(chosen) => {
            changed();
            setFiles(chosen);
          }}
          error={errors.files}
        />
        <NativeSelect
          label={t`Format`}
          description={format?.description || t`Detected from the files unless you choose one.`}
          value={formatName}
          onChange={(event) => {
            changed();
            setFormatName(event.currentTarget.value);
          }}
          data={[
            { value: "", label: t`Detect automatically` },
            ...fitting.map((one) => ({ value: one.name, label: one.title })),
          ]}
          error={errors.format}
        />
        {kind === "dataset" ? (
          <>
            <TextInput
              label={t`Short name`}
              description={t`Lower-case letters, digits and hyphens. It becomes part of web addresses.`}
              value={slug}
              onChange={(event) => {
                changed();
                setSlug(event.currentTarget.value);
              }}
              error={errors.dataset}
            />
            <TextInput
              label={t`Title (optional)`}
              description={t`The name that people see.`}
              value={title}
              onChange={(event) => {
                changed();
                setTitle(event.currentTarget.value);
              }}
              error={errors.title}
            />
            <Textarea
              label={t`New names for labels (optional)`}
              description={t`One per line, for example 0=no. Labels with the same new name are merged.`}
              autosize
              minRows={1}
              maxRows={8}
              value={labelNames}
              onChange={(event) => {
                changed();
                setLabelNames(event.currentTarget.value);
              }}
              error={errors.label_names}
            />
          </>
        ) : predictionsOf ? null : (
          <NativeSelect
            label={t`Dataset`}
            description={t`The dataset that the predictions are for.`}
            value={slug}
            onChange={(event) => {
              changed();
              setSlug(event.currentTarget.value);
            }}
            data={[
              { value: "", label: t`Choose a dataset` },
              ...datasets.map((one) => ({ value: one.slug, label: one.title })),
            ]}
            error={errors.dataset}
          />
        )}
      </div>
      {options.fields.length > 0 && (
        <fieldset className={classes.options}>
          <legend>
            <Trans>Options for this format</Trans>
          </legend>
          <SchemaFields
            fields={options.fields}
            values={options.values}
            problems={errors}
            onChange={(values) => {
              changed();
              setOptions(values);
            }}
          />
        </fieldset>
      )}
      <Checkbox
        label={t`Replace data with the same name`}
        description={t`Only possible while no study or analysis uses the dataset.`}
        checked={replace}
        onChange={(event) => {
          changed();
          setReplace(event.currentTarget.checked);
        }}
      />
      {send.error && (
        <ErrorNotice
          title={
            refused.dataset ? t`The short name was not accepted` : t`The files were not accepted`
          }
          error={send.error}
        />
      )}
      <div className={classes.buttons}>
        <Button type="submit" variant={isChecked ? "default" : "filled"} disabled={isBusy}>
          {send.isPending ? t`Sending the files…` : t`Check the files`}
        </Button>
        {isChecked && (
          <Button onClick={() => go(false)} disabled={isBusy}>
            <Trans>Import</Trans>
          </Button>
        )}
      </div>
      {job.data && !hasProblems && (
        <JobProgress
          job={job.data}
          what={job.data.dry_run ? t`The check` : t`The import`}
          failed={job.data.dry_run ? t`The check failed` : t`The import failed`}
          onCancel={() => cancel.mutate()}
          cancelling={cancel.isPending || cancel.isSuccess}
        />
      )}
      {detected && (
        <Button
          variant="default"
          className={classes.detected}
          onClick={() => setFormatName(detected.name)}
        >
          <Trans>Show the options for {detected.title}</Trans>
        </Button>
      )}
      {job.data && <ReportView job={job.data} />}
      {job.data?.made && <NextSteps made={job.data.made} kind={job.data.kind} />}
    </form>
  );
}

/** What people do next, once something is imported. */
function NextSteps({ made, kind }: { made: string; kind: Kind }) {
  return (
    <p>
      {kind === "dataset" ? (
        <Trans>
          Next: <Link to={`/datasets/${made}`}>look at the texts</Link>, or{" "}
          <Link to={`/datasets/${made}/import`}>import system predictions for them</Link>.
        </Trans>
      ) : (
        <Trans>
          Next: <Link to={`/datasets/${made}/systems`}>see how the systems perform</Link>, or{" "}
          <Link to="/studies/new">start a study</Link>.
        </Trans>
      )}
    </p>
  );
}

/** The chosen format's own options, with fresh values for each format. */
function useOptions(format: ImportFormat | undefined) {
  const fields = useMemo(() => (format ? fieldsOf(format.options) : []), [format]);
  const [held, setHeld] = useState({ fields, values: startValues(fields) });
  const current = held.fields === fields ? held : { fields, values: startValues(fields) };
  return [current, (values: typeof held.values) => setHeld({ fields, values })] as const;
}
