import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Checkbox, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { useAnalysisPlan, useSetAnalysisPlan } from "~/api/analysisPlan";
import { useDatasets } from "~/api/datasets";
import { fieldErrors } from "~/api/errors";
import type { Analysis, PlannedAnalysis } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Note } from "~/components/Note";
import { type Field, fieldsOf, readValues, startValues } from "~/components/schemaForm/fields";
import group from "~/components/schemaForm/Group.module.css";
import { SchemaFields } from "~/components/schemaForm/SchemaFields";
import { useStartRun } from "../calls";
import { addressOf, type Subject } from "../subject";
import { QuestionPicture } from "./pictures";
import classes from "./StartForm.module.css";

/** The groups of parameters, by the server's names, in this order; parameters without a group belong to the last. */
const LAST = "Advanced statistics"; /* not words */
const GROUPS: [name: string, title: MessageDescriptor][] = [
  ["What is compared", msg`What is compared`] /* not words */,
  ["Statistics", msg`Statistics`] /* not words */,
  [LAST, msg`Advanced statistics`],
];

/** One question with its settings, which all have safe defaults and are folded until somebody wants to change one. */
export function StartForm({ subject, analysis }: { subject: Subject; analysis: Analysis }) {
  const fields = useMemo(() => fieldsOf(analysis.parameters), [analysis]);
  const [values, setValues] = useState(() => startValues(fields));
  const [seed, setSeed] = useState("");
  const [datasets, setDatasets] = useState<string[]>([]);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const start = useStartRun(subject);
  const navigate = useNavigate();

  /** What the form requests, or nothing while something in it is wrong. */
  function asked() {
    const read = readValues(fields, values);
    if (!/^\d*$/.test(seed.trim()))
      read.problems.seed = t`Enter a whole number, or leave this empty.`;
    setProblems(read.problems);
    if (Object.keys(read.problems).length > 0) return null;
    return {
      analysis: analysis.name,
      parameters: read.parameters,
      seed: seed.trim() === "" ? null : Number(seed),
    };
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const question = start.isPending ? null : asked();
    if (!question) return;
    start.mutate({ ...question, datasets }, { onSuccess: (run) => void navigate(addressOf(run)) });
  }

  const wrong = { ...fieldErrors(start.error), ...problems };
  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      <div className={classes.about}>
        <QuestionPicture name={analysis.name} />
        <div>
          <p>{analysis.shows}</p>
          <p className="soft">
            <Trans>All settings have safe defaults. Change one only if you know why.</Trans>
          </p>
        </div>
      </div>
      {!analysis.available && <Note>{analysis.reason}</Note>}
      {subject.kind === "free" && analysis.subjects.includes("datasets") && (
        <DatasetChoice chosen={datasets} onChange={setDatasets} />
      )}
      {GROUPS.map(([group, title]) => (
        <Group
          key={group}
          title={i18n._(title)}
          hasSeed={group === LAST}
          fields={fields.filter((field) => groupOf(field) === group)}
          values={values}
          problems={wrong}
          onChange={setValues}
        >
          {group === LAST && (
            <TextInput
              label={t`Seed`}
              description={
                subject.kind === "study"
                  ? t`The same seed gives the same numbers. If empty: the planned seed, or the seed of the study.`
                  : t`The same seed gives the same numbers. If empty: 0.`
              }
              className={classes.which}
              value={seed}
              onChange={(event) => setSeed(event.currentTarget.value)}
              error={wrong.seed}
              inputMode="numeric"
              autoComplete="off"
            />
          )}
        </Group>
      ))}
      {start.error && <ErrorNotice title={t`The analysis was not started`} error={start.error} />}
      <div className={classes.acts}>
        <Button type="submit">{start.isPending ? t`Starting…` : t`Run analysis`}</Button>
        {subject.kind === "study" && <PlanIt slug={subject.slug} asked={asked} />}
      </div>
    </form>
  );
}

function groupOf(field: Field): string {
  return GROUPS.some(([group]) => group === field.group) ? field.group : LAST;
}

type GroupProps = {
  title: string;
  hasSeed: boolean;
  fields: Field[];
  values: ReturnType<typeof startValues>;
  problems: Record<string, string>;
  onChange: (values: ReturnType<typeof startValues>) => void;
  children: ReactNode;
};

/** A folded group of settings. It opens by itself if something in it is wrong. */
function Group({ title, hasSeed, fields, values, problems, onChange, children }: GroupProps) {
  const [opened, setOpened] = useState(false);
  const names = [...fields.map(({ name }) => name), ...(hasSeed ? ["seed"] : [])];
  const isWrong = names.some((name) => problems[name]);
  if (fields.length === 0 && !children) return null;
  return (
    <details
      className={group.group}
      open={opened || isWrong}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary>
        {title}{" "}
        <span className="soft small">
          {plural(names.length, { one: "# setting", other: "# settings" })}
        </span>
      </summary>
      <div className={classes.form}>
        <SchemaFields
          fields={fields}
          values={values}
          problems={problems}
          onChange={onChange}
          defaults
        />
        {children}
      </div>
    </details>
  );
}

type PlanProps = { slug: string; asked: () => Omit<PlannedAnalysis, "note"> | null };

/** Adds the form's request to the study's analysis plan, as long as that can change. */
function PlanIt({ slug, asked }: PlanProps) {
  const plan = useAnalysisPlan(slug);
  const set = useSetAnalysisPlan(slug);
  if (!plan.data?.can_change) return null;
  const { planned } = plan.data;
  return (
    <>
      <Button
        variant="default"
        disabled={set.isPending}
        onClick={() => {
          const question = asked();
          if (question) set.mutate([...planned, { ...question, note: "" }]);
        }}
      >
        <Trans>Add to the analysis plan</Trans>
      </Button>
      <span role="status" className="soft small">
        {set.isSuccess &&
          plural(planned.length, {
            one: "The plan now has # analysis.",
            other: "The plan now has # analyses.",
          })}
      </span>
      {set.error && <ErrorNotice title={t`It was not added to the plan`} error={set.error} />}
    </>
  );
}

type ChoiceProps = { chosen: string[]; onChange: (slugs: string[]) => void };

/** A choice among the datasets I may see. */
function DatasetChoice({ chosen, onChange }: ChoiceProps) {
  const datasets = useDatasets();
  return (
    <Checkbox.Group label={t`Datasets`} value={chosen} onChange={onChange}>
      <div className={classes.datasets}>
        {datasets.data?.map(({ slug, title }) => (
          // Parameters refer to a dataset by its slug.
          <Checkbox key={slug} value={slug} label={title} description={slug} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
