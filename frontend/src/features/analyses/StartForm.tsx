import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { fieldErrors } from "~/api/errors";
import type { Analysis } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { fieldsOf, readValues, startValues } from "~/components/schemaForm/fields";
import { SchemaFields } from "~/components/schemaForm/SchemaFields";
import { useStartRun } from "./calls";
import classes from "./StartForm.module.css";

/** Choose an analysis, see what it needs, start it. */
export function StartForm({ slug, analyses }: { slug: string; analyses: Analysis[] }) {
  const [name, setName] = useState(analyses[0]?.name ?? "");
  const analysis = analyses.find((one) => one.name === name);
  if (!analysis) return <p className="soft">No analysis is installed.</p>;
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
      <ParameterForm key={name} slug={slug} analysis={analysis} />
    </div>
  );
}

function ParameterForm({ slug, analysis }: { slug: string; analysis: Analysis }) {
  const fields = useMemo(() => fieldsOf(analysis.parameters), [analysis]);
  const [values, setValues] = useState(() => startValues(fields));
  const [seed, setSeed] = useState("");
  const [problems, setProblems] = useState<Record<string, string>>({});
  const start = useStartRun(slug);
  const navigate = useNavigate();

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (start.isPending) return;
    const read = readValues(fields, values);
    if (!/^\d*$/.test(seed.trim())) read.problems.seed = "Please enter a whole number, or nothing.";
    setProblems(read.problems);
    if (Object.keys(read.problems).length > 0) return;
    start.mutate(
      {
        analysis: analysis.name,
        parameters: read.parameters,
        seed: seed.trim() === "" ? null : Number(seed),
      },
      { onSuccess: (run) => void navigate(`/runs/${run.id}`) },
    );
  }

  const refused = fieldErrors(start.error);
  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      <SchemaFields
        fields={fields}
        values={values}
        problems={{ ...refused, ...problems }}
        onChange={setValues}
      />
      <TextInput
        label="Seed"
        description="The same seed gives the same numbers. Empty: the seed of the study."
        className={classes.which}
        value={seed}
        onChange={(event) => setSeed(event.currentTarget.value)}
        error={problems.seed ?? refused.seed}
        inputMode="numeric"
        autoComplete="off"
      />
      {start.error && <ErrorNotice title="The analysis was not started" error={start.error} />}
      <Button type="submit" className={classes.go}>
        {start.isPending ? "Starting…" : "Start the analysis"}
      </Button>
    </form>
  );
}
