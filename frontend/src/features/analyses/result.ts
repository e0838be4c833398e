// How a result reads: what the server states of it, in words and in the shapes of the page.
import type { Result } from "~/api/types";

export type ResultTable = Result["tables"][number];
export type TableColumn = ResultTable["columns"][number];
export type Cell = ResultTable["rows"][number][string];
export type Exclusion = Result["exclusions"][number];

const BOUND = /(^|_)(low|high)$/;

/** A narrow view of a wide table: no details; of each group its first two columns, its interval whole, and every p. */
export function mainColumns(columns: readonly TableColumn[]): TableColumn[] {
  const seen = new Map<string, number>();
  return columns.filter(({ key, kind, group, detail }) => {
    // An interval is never left away, and never half of it.
    if (detail && !BOUND.test(key)) return false;
    if (group === "") return true;
    const place = (seen.get(group) ?? 0) + 1;
    seen.set(group, place);
    return place <= 2 || kind === "p" || BOUND.test(key);
  });
}

export type ShownColumn = TableColumn & { high?: string };

/** Both ends of an interval as one column: "[0.410, 0.770]" stands beside its estimate. */
export function withIntervals(columns: readonly TableColumn[]): ShownColumn[] {
  const keys = new Set(columns.map(({ key }) => key));
  const isLow = ({ key, title }: TableColumn) =>
    /(^|_)low$/.test(key) && / low$|^from$/.test(title) && keys.has(key.replace(/low$/, "high"));
  const highs = new Set(columns.filter(isLow).map(({ key }) => key.replace(/low$/, "high")));
  const shown: ShownColumn[] = [];
  for (const column of columns) {
    if (highs.has(column.key)) continue;
    if (!isLow(column)) {
      shown.push(column);
      continue;
    }
    const words = column.title === "from" ? "" : `${column.title.replace(/ low$/, "")} `;
    const high = column.key.replace(/low$/, "high");
    // Beside its estimate, before what was tested of it.
    const tested = shown.findIndex(({ kind, group }) => kind === "p" && group === column.group);
    const place = tested === -1 ? shown.length : tested;
    shown.splice(place, 0, { ...column, title: `${words}interval`, high });
  }
  return shown;
}

/** An interval as papers print it; a dash where there is none. */
export function intervalInWords(
  low: Cell | undefined,
  high: Cell | undefined,
  kind: TableColumn["kind"],
): string {
  if (typeof low !== "number" || typeof high !== "number") return "–";
  return `[${cellInWords(low, kind)}, ${cellInWords(high, kind)}]`;
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
