// How a result reads: what the server states of it, in words and in the shapes of the page.
import type { Result } from "~/api/types";

export type ResultTable = Result["tables"][number];
export type TableColumn = ResultTable["columns"][number];
export type Cell = ResultTable["rows"][number][string];
export type Exclusion = Result["exclusions"][number];

/** A narrow view of a wide table: no details; of each group its first two columns, its interval whole, and every p. */
export function mainColumns(columns: readonly TableColumn[]): TableColumn[] {
  const seen = new Map<string, number>();
  return columns.filter(({ key, kind, group, detail }) => {
    if (detail) return false;
    if (group === "") return true;
    const place = (seen.get(group) ?? 0) + 1;
    seen.set(group, place);
    return place <= 2 || kind === "p" || /_(low|high)$/.test(key);
  });
}

/** Neighbouring columns of one group under one heading. */
export function groupsOf(columns: readonly TableColumn[]): { group: string; span: number }[] {
  const groups: { group: string; span: number }[] = [];
  for (const { group } of columns) {
    const last = groups.at(-1);
    if (last && last.group === group && group !== "") last.span += 1;
    else groups.push({ group, span: 1 });
  }
  return groups;
}

/** A number as papers print it: three decimals, small p-values by their size, a real minus sign. */
export function numberInWords(value: Cell | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en-GB");
  const text = value !== 0 && Math.abs(value) < 0.001 ? value.toPrecision(2) : value.toFixed(3);
  return text.replace("-", "−");
}

/** A cell as papers print it: by its column's kind, undefined as a dash. */
export function cellInWords(value: Cell | undefined, kind: TableColumn["kind"]): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return numberInWords(value);
  if (kind === "p" && value < 0.0005) return "<0.001";
  if (kind === "p") return value.toFixed(3);
  if (kind === "share") return `${(100 * value).toFixed(1).replace("-", "−")} %`;
  return numberInWords(value);
}

/** What was left out: the system and metric if it is about one, else the kind of thing. */
export function subjectOf({ what, system, metric }: Exclusion): string {
  return [system, metric, system ? null : what].filter(Boolean).join(", ");
}

/** Whether a study's result was planned, in words; empty where there is no study. */
export function standingOf(plan: Result["plan"]): string {
  if (!plan) return "";
  if (plan.status === "planned") return "Planned: fixed when the study opened";
  return plan.sha256 ? "Exploratory: not in the plan" : "Exploratory: no plan was fixed";
}
