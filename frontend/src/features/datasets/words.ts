import type { Dataset } from "~/api/types";
import { counted, readable } from "~/components/words";

/** What a dataset is, in one line: "1,514 texts · 3 labels · one label each". */
export function inWords(dataset: Dataset): string {
  const parts = [counted(dataset.instances, "text")];
  if (dataset.labels.length > 0) {
    parts.push(counted(dataset.labels.length, "label"), taskInWords(dataset.task));
  }
  if (dataset.annotations > 0) parts.push(counted(dataset.annotations, "judgement"));
  if (dataset.votes > 0) parts.push(counted(dataset.votes, "pairwise vote"));
  const systems = systemCount(dataset);
  if (systems > 0) parts.push(counted(systems, "system"));
  return parts.join(" · ");
}

const TASKS: Record<string, string> = {
  multiclass: "one label each",
  multilabel: "any number of labels each",
  ordinal: "one point of a scale each",
};

function taskInWords(task: string): string {
  return TASKS[task] ?? readable(task);
}

/** Systems that predict distributions, single annotations, or both. */
export function systemCount(dataset: Dataset): number {
  const all = [...dataset.systems, ...dataset.predicted_annotations];
  return new Set(all.map(({ name }) => name)).size;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** The labels that were given, the largest share first. */
export function byShare(shares: Record<string, number>): [label: string, share: number][] {
  return Object.entries(shares)
    .filter(([, share]) => share >= 0.005)
    .sort(([, a], [, b]) => b - a);
}

/** "Tax 60%, Family 40%", and how many more there are. */
export function sharesInWords(shares: Record<string, number>, most = 3): string {
  const given = byShare(shares);
  const shown = given.slice(0, most).map(([label, share]) => `${label} ${percent(share)}`);
  if (given.length > most) shown.push(`${given.length - most} more`);
  return shown.join(", ");
}

/** How far people disagree, for who has not read what the number means. */
export function disagreementInWords(value: number): string {
  if (value < 0.05) return "almost all agree";
  if (value < 0.35) return "most agree";
  if (value < 0.7) return "people are divided";
  return "people are deeply divided";
}
