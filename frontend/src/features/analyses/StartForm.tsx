import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { useAnalysisPlan, useSetAnalysisPlan } from "~/api/analysisPlan";
import { useDatasets } from "~/api/datasets";
import { fieldErrors } from "~/api/errors";
import type { Analysis, PlannedAnalysis } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { fieldsOf, readValues, startValues } from "~/components/schemaForm/fields";
import { SchemaFields } from "~/components/schemaForm/SchemaFields";
import { counted } from "~/components/words";
import { useStartRun } from "./calls";
import classes from "./StartForm.module.css";
import type { Subject } from "./subject";

/** Choose an analysis, see what it needs, start it. */
export function StartForm({ subject, analyses }: { subject: Subject; analyses: Analysis[] }) {
  const [name, setName] = useState(analyses[0]?.name ?? "");
  const analysis = analyses.find((one) => one.name === name);
  if (!analysis) return <p className="soft">No analysis is possible here.</p>;
  return (
    <div className={classes.form}>
      {analyses.length > 1 && (
        <NativeSelect
          label="Analysis"
          className={classes.which}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data={analyses.map((one) => ({ value: one.name, label: one.title }))}
        />
      )}
      <div>
        <h3>{analysis.title}</h3>
        <p className="soft">{analysis.description}</p>
      </div>
      <ParameterForm key={name} subject={subject} analysis={analysis} />
    </div>
  );
}

function ParameterForm({ subject, analysis }: { subject: Subject; analysis: Analysis }) {
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
    if (!/^\d*$/.test(seed.trim())) read.problems.seed = "Please enter a whole number, or nothing.";
    setProblems(read.problems);
    if (Object.keys(read.problems).length > 0) return null;
    return {
      analysis: analysis.name,
      parameters: read.parameters,
      seed: seed.trim() === "" ? null : Number(seed),
    };
  }

  function submit(event?: FormEvent) {
    event?.preventDefault();
    const question = start.isPending ? null : asked();
    if (!question) return;
    start.mutate(
      { ...question, datasets },
      { onSuccess: (run) => void navigate(`/runs/${run.id}`) },
    );
  }

  const refused = fieldErrors(start.error);
  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      {subject.kind === "free" && analysis.subjects.includes("datasets") && (
        <DatasetChoice chosen={datasets} onChange={setDatasets} />
      )}
      <SchemaFields
        fields={fields}
        values={values}
        problems={{ ...refused, ...problems }}
        onChange={setValues}
      />
      <TextInput
        label="Seed"
        description={`The same seed gives the same numbers. Empty: ${subject.kind === "study" ? "the planned one, or the seed of the study" : "0"}.`}
        className={classes.which}
        value={seed}
        onChange={(event) => setSeed(event.currentTarget.value)}
        error={problems.seed ?? refused.seed}
        inputMode="numeric"
        autoComplete="off"
      />
      {start.error && <ErrorNotice title="The analysis was not started" error={start.error} />}
      <div className={classes.acts}>
        <Button type="submit">{start.isPending ? "Starting…" : "Start the analysis"}</Button>
        {subject.kind === "study" && <PlanIt slug={subject.slug} asked={asked} />}
      </div>
    </form>
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
