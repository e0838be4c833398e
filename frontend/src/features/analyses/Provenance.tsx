import type { Run } from "~/api/types";
import fold from "~/components/Fold.module.css";
import { Facts } from "~/components/Section";
import { fieldsOf } from "~/components/schemaForm/fields";
import { moment, readable } from "~/components/words";
import { useAnalyses } from "./calls";
import { standingOf } from "./result";

/** Everything that is needed to repeat a run: parameters, seed, versions, and which inputs it saw. */
export function Provenance({ run }: { run: Run }) {
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
    <details className={fold.fold}>
      <summary>How it was made: settings, seed, versions and fingerprint</summary>
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
    </details>
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
