import type { Bar, Task } from "~/api/types";

export type Side = "a" | "b";

/** One label with its share on each side; 0 if a side draws no bar. */
export type Row = { label: string; a: number; b: number };

type Sides = { a: readonly Bar[]; b: readonly Bar[] };
type Labelled = Pick<Task["study"], "task" | "labels">;

/**
 * The rows of the chart: every label that either side shows, larger mean of both first, ties in the order of step 1.
 * A scale shows all its points in their own order. Swapping the sides gives the same rows, mirrored.
 */
export function rowsOf({ a, b }: Sides, { task, labels }: Labelled): Row[] {
  const left = new Map(a.map((bar) => [bar.label, bar.value]));
  const right = new Map(b.map((bar) => [bar.label, bar.value]));
  const all = labels.map(({ name }) => ({
    label: name,
    a: left.get(name) ?? 0,
    b: right.get(name) ?? 0,
  }));
  if (task === "ordinal") return all;
  const shown = all.filter((row) => row.a > 0 || row.b > 0);
  // Sorting is stable, so ties keep the order of step 1.
  return shown.sort((one, other) => sum(other) - sum(one));
}

/** One side's own list: its bars, largest first, or the whole scale. */
export function listOf(side: Side, rows: readonly Row[], task: Labelled["task"]): Row[] {
  if (task === "ordinal") return [...rows];
  return rows.filter((row) => row[side] > 0).sort((one, other) => other[side] - one[side]);
}

/** The larger of a label's two bars. */
export function largest(row: Row): number {
  return Math.max(row.a, row.b);
}

/** In whole percentages: binary sums of equal shares differ in their last digits. */
function sum(row: Row): number {
  return Math.round(100 * row.a) + Math.round(100 * row.b);
}
