import { Button } from "@mantine/core";
import { useNavigate } from "react-router";
import type { Run } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Facts } from "~/components/Section";
import { fieldsOf } from "~/components/schemaForm/fields";
import { moment, readable } from "~/components/words";
import { useAnalyses, useRerun } from "./calls";
import { Folded } from "./FigureView";
import classes from "./ResultView.module.css";
import { RunLog } from "./RunLog";
import { standingOf } from "./result";
import { addressOf } from "./subject";

/** Everything that is needed to repeat a run: parameters, seed, versions, which inputs it saw, and what happened. */
export function Provenance({ run }: { run: Run }) {
  return (
    <Folded title="How it was computed, and computing it again" className={classes.fold}>
      {() => <Made run={run} />}
    </Folded>
  );
}

function Made({ run }: { run: Run }) {
  const titleOf = useParameterTitles(run.analysis);
  const versions = Object.entries(run.result?.versions ?? {}).map(
    ([name, version]) => `${name} ${version}`,
  );
  const standing = standingOf(run.result?.plan ?? null);
  const fingerprint = run.result?.fingerprint;
  const parameters = Object.entries(run.parameters ?? {}).map(
    ([name, value]) => [titleOf(name), valueInWords(value)] as [string, string],
  );
  return (
    <>
      {run.state === "succeeded" && <Again id={run.id} />}
      <Facts
        facts={[
          ["Started", moment(run.started_at ?? run.created_at)],
          ["Ended", moment(run.finished_at) || "not yet"],
          ["Seed", String(run.seed)],
          ...(standing ? [["Analysis plan", standing] as [string, string]] : []),
          ...parameters,
          ...(versions.length > 0 ? [["Versions", versions.join(", ")] as [string, string]] : []),
        ]}
      />
      {fingerprint && (
        <Facts
          facts={[["Fingerprint of the inputs (SHA-256)", <code key="it">{fingerprint}</code>]]}
          wide
        />
      )}
      <RunLog lines={run.log} />
    </>
  );
}

/** Asks for the same numbers once more: they must come out equal, or the data have changed. */
function Again({ id }: { id: string }) {
  const again = useRerun(id);
  const navigate = useNavigate();
  return (
    <div>
      <Button
        variant="default"
        disabled={again.isPending}
        onClick={() =>
          again.mutate(undefined, { onSuccess: (run) => void navigate(addressOf(run)) })
        }
      >
        {again.isPending ? "Starting…" : "Compute again"}
      </Button>
      {again.error && <ErrorNotice title="It was not started" error={again.error} />}
    </div>
  );
}

/** Parameters are called what the form called them. */
function useParameterTitles(analysis: string): (name: string) => string {
  const schema = useAnalyses().data?.find((one) => one.name === analysis)?.parameters;
  const titles = new Map(fieldsOf(schema).map((field) => [field.name, field.title]));
  return (name) => titles.get(name) ?? readable(name);
}

function valueInWords(value: unknown): string {
  if (value === null || value === undefined) return "not set";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en-GB", { maximumFractionDigits: 6 });
  if (Array.isArray(value)) return value.map(valueInWords).join(", ") || "none named";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
