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
import { SchemaFields } from "~/components/schemaForm/SchemaFields";
import { counted } from "~/components/words";
import { useStartRun } from "../calls";
import { addressOf, type Subject } from "../subject";
import { QuestionPicture } from "./pictures";
import classes from "./StartForm.module.css";

/** The groups of parameters, in this order; what has none of them belongs to the last. */
const GROUPS = ["What is compared", "Statistics", "Only for experts of statistics"] as const;
const LAST = GROUPS[2];

/** One question with its settings, all of which have safe defaults: folded, until somebody wants to change one. */
export function StartForm({ subject, analysis }: { subject: Subject; analysis: Analysis }) {
  const fields = useMemo(() => fieldsOf(analysis.parameters), [analysis]);
  const [values, setValues] = useState(() => startValues(fields));
  const [seed, setSeed] = useState("");
  const [datasets, setDatasets] = useState<string[]>([]);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const start = useStartRun(subject);
  const navigate = useNavigate();

  /** What the form asks for, or nothing while something in it is wrong. */
  function asked() {
    const read = readValues(fields, values);
    if (!/^\d*$/.test(seed.trim())) read.problems.seed = "Enter a whole number, or nothing.";
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
            All settings have defaults that are safe to use. Change one only if you know why.
          </p>
        </div>
      </div>
      {!analysis.available && <Note>{analysis.reason}</Note>}
      {subject.kind === "free" && analysis.subjects.includes("datasets") && (
        <DatasetChoice chosen={datasets} onChange={setDatasets} />
      )}
      {GROUPS.map((group) => (
        <Group
          key={group}
          title={group}
          fields={fields.filter((field) => groupOf(field) === group)}
          values={values}
          problems={wrong}
          onChange={setValues}
        >
          {group === LAST && (
            <TextInput
              label="Seed"
              description={`The same seed gives the same numbers. Empty: ${subject.kind === "study" ? "the planned one, or the seed of the study" : "0"}.`}
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
      {start.error && <ErrorNotice title="The analysis was not started" error={start.error} />}
      <div className={classes.acts}>
        <Button type="submit">{start.isPending ? "Starting…" : "Answer it"}</Button>
        {subject.kind === "study" && <PlanIt slug={subject.slug} asked={asked} />}
      </div>
    </form>
  );
}

function groupOf(field: Field): string {
  return GROUPS.find((group) => group === field.group) ?? LAST;
}

type GroupProps = {
  title: string;
  fields: Field[];
  values: ReturnType<typeof startValues>;
  problems: Record<string, string>;
  onChange: (values: ReturnType<typeof startValues>) => void;
  children: ReactNode;
};

/** A folded group of settings. It opens by itself where something in it is wrong. */
function Group({ title, fields, values, problems, onChange, children }: GroupProps) {
  const [opened, setOpened] = useState(false);
  const names = [...fields.map(({ name }) => name), ...(title === LAST ? ["seed"] : [])];
  const isWrong = names.some((name) => problems[name]);
  if (fields.length === 0 && !children) return null;
  return (
    <details
      className={classes.group}
      open={opened || isWrong}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary>
        {title} <span className="soft small">{counted(names.length, "setting")}</span>
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

/** Puts what the form asks for into the study's analysis plan, as long as that can change. */
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
        Add to the analysis plan
      </Button>
      <span role="status" className="soft small">
        {set.isSuccess && `Planned: ${counted(planned.length, "analysis", "analyses")}.`}
      </span>
      {set.error && <ErrorNotice title="It was not planned" error={set.error} />}
    </>
  );
}

type ChoiceProps = { chosen: string[]; onChange: (slugs: string[]) => void };

/** Which of the datasets that I may see. */
function DatasetChoice({ chosen, onChange }: ChoiceProps) {
  const datasets = useDatasets();
  return (
    <Checkbox.Group label="Datasets" value={chosen} onChange={onChange}>
      <div className={classes.datasets}>
        {datasets.data?.map(({ slug, title }) => (
          // Parameters that name one of the datasets name it by its slug.
          <Checkbox key={slug} value={slug} label={title} description={slug} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
