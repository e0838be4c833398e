import { t } from "@lingui/core/macro";
// How a result is presented: the server's content in words and in the page's shapes.
import type { Result, Run } from "~/api/types";
import { readable } from "~/components/words";

export type ResultTable = Result["tables"][number];
export type Cell = ResultTable["rows"][number][string];
export type Exclusion = Result["exclusions"][number];

/** A printed column; an interval is a single one, and so is a mean with its deviation. The server says which there are. */
export type PrintedColumn = Run["printed"][string][number];

/** An interval as papers print it; a dash if there is none. */
export function intervalInWords(
  low: Cell | undefined,
  high: Cell | undefined,
  kind: PrintedColumn["kind"],
): string {
  if (typeof low !== "number" || typeof high !== "number") return "–";
  return `[${cellInWords(low, kind, false)}, ${cellInWords(high, kind, false)}]`;
}

/** A mean and its standard deviation as papers print them; one without the other where only that is known. */
export function spreadInWords(
  mean: Cell | undefined,
  deviation: Cell | undefined,
  kind: PrintedColumn["kind"],
): string {
  const first = cellInWords(mean, kind, false);
  if (typeof deviation !== "number") return first;
  // Beside 0.940, a deviation of 0.00004 is 0.000, as the server prints it.
  return `${first} ± ${kind === "share" ? cellInWords(deviation, kind) : deviation.toFixed(3)}`;
}

/** Neighbouring columns of one group under one heading. */
export function groupsOf(columns: readonly { group: string }[]): { group: string; span: number }[] {
  const groups: { group: string; span: number }[] = [];
  for (const { group } of columns) {
    const last = groups.at(-1);
    if (last && last.group === group && group !== "") last.span += 1;
    else groups.push({ group, span: 1 });
  }
  return groups;
}

/** A number as papers print it: three decimals, small p-values by magnitude, a real minus sign. */
export function numberInWords(value: Cell | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en-GB");
  const text = value !== 0 && Math.abs(value) < 0.001 ? value.toPrecision(2) : value.toFixed(3);
  return text.replace("-", "−");
}

/** A cell as papers print it: by its column's kind, undefined as a dash; 1 among shares and correlations is 1.000. */
export function cellInWords(
  value: Cell | undefined,
  kind: PrintedColumn["kind"],
  isWhole = true,
): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return numberInWords(value);
  if (kind === "p" && value < 0.0005) return "<0.001";
  if (kind === "p") return value.toFixed(3);
  if (kind === "share") return `${(100 * value).toFixed(1).replace("-", "−")}%`;
  return isWhole || !Number.isInteger(value)
    ? numberInWords(value)
    : value.toFixed(3).replace("-", "−");
}

/** What was left out: the system and metric if it is about one, otherwise its kind. */
export function subjectOf({ what, system, metric }: Exclusion): string {
  return [system, metric, system ? null : what].filter(Boolean).join(", ");
}

/** A cell of a printed column. */
export function printedCell(row: ResultTable["rows"][number], column: PrintedColumn): string {
  if (column.spread) return spreadInWords(row[column.key], row[column.spread], column.kind);
  return column.high
    ? intervalInWords(row[column.key], row[column.high], column.kind)
    : cellInWords(row[column.key], column.kind, column.is_whole);
}

/** The titles of figures and their variants, by name, if the server has them. */
export type Titles = Readonly<Record<string, string>>;

export type Figures = { family: string; title: string; names: string[] };

/** Groups figures of one kind: the overview and its variants, "scatter" and "scatter-po_jsd". */
export function familiesOf(names: readonly string[], titles: Titles): Figures[] {
  const families = new Map<string, string[]>();
  for (const name of names) {
    const family = name.split("-")[0] ?? name;
    families.set(family, [...(families.get(family) ?? []), name]);
  }
  return [...families].map(([family, of]) => ({
    family,
    title: figureInWords(family, titles),
    names: of,
  }));
}

/** What a figure's variant shows: "scatter-po_jsd" shows "PO-JSD", and "scatter" everything at once. */
export function variantInWords(name: string, titles: Titles): string {
  const variant = name.split("-").slice(1).join("-");
  return variant ? (titles[name] ?? readable(variant)) : t`All at once`;
}

/** "Each metric and the experts’ preference: PO-JSD"; the overview has only the title. */
export function figureInWords(name: string, titles: Titles): string {
  const family = name.split("-")[0] ?? name;
  const title = titles[family] ?? readable(family);
  return name === family ? title : `${title}: ${variantInWords(name, titles)}`;
}

/** The same in two words, for lists and beside titles. */
export function plannedInWords(isPlanned: boolean | null): string {
  if (isPlanned === null) return "";
  return isPlanned ? t`Planned before opening` : t`Exploratory`;
}

/** Whether a study's result was planned, in words; empty without a study. */
export function standingOf(plan: Result["plan"]): string {
  if (!plan) return "";
  if (plan.status === "planned") return t`Planned: fixed when the study opened`;
  return plan.sha256 ? t`Exploratory: not in the plan` : t`Exploratory: no plan was fixed`;
}
