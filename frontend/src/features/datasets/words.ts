import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import type { Dataset } from "~/api/types";
import { readable } from "~/components/words";
import { inARow, percent } from "~/languages/formats";

/** What a dataset is, in one line: "1,514 texts · 3 labels · one label per text". */
export function inWords(dataset: Dataset): string {
  const { instances, annotations, votes } = dataset;
  const labels = dataset.labels.length;
  const systems = systemCount(dataset);
  return [
    plural(instances, { one: "# text", other: "# texts" }),
    labels > 0 && plural(labels, { one: "# label", other: "# labels" }),
    labels > 0 && taskInWords(dataset.task),
    annotations > 0 && plural(annotations, { one: "# judgement", other: "# judgements" }),
    votes > 0 && plural(votes, { one: "# pairwise vote", other: "# pairwise votes" }),
    systems > 0 && plural(systems, { one: "# system", other: "# systems" }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Systems learn from the labels that people gave to texts. */
export function canBeTrainedOn({ instances, labels, annotations }: Dataset): boolean {
  return instances > 0 && labels.length > 0 && annotations > 0;
}

const TASKS: Record<string, MessageDescriptor> = {
  multiclass: msg`one label per text`,
  multilabel: msg`any number of labels per text`,
  ordinal: msg`one point on a scale per text`,
};

export function taskInWords(task: string): string {
  const words = TASKS[task];
  return words ? i18n._(words) : readable(task);
}

/** Systems that predict distributions, single annotations, or both. */
export function systemCount(dataset: Dataset): number {
  const all = [...dataset.systems, ...dataset.predicted_annotations];
  return new Set(all.map(({ name }) => name)).size;
}

/** The labels that were given, largest share first. */
export function byShare(shares: Record<string, number>): [label: string, share: number][] {
  return Object.entries(shares)
    .filter(([, share]) => share >= 0.005)
    .sort(([, a], [, b]) => b - a);
}

/** "Tax 60%, Family 40%", and how many more there are. */
export function sharesInWords(shares: Record<string, number>, most = 3): string {
  const given = byShare(shares);
  const shown = given.slice(0, most).map(([label, share]) => `${label} ${percent(share)}`);
  const more = given.length - most;
  if (more > 0) shown.push(t`${more} more`);
  return inARow(shown);
}

/** How much people disagree, as a sentence for readers unfamiliar with the number. */
export function disagreementInWords(value: number): string {
  if (value < 0.05) return t`On a typical text, almost everyone agrees.`;
  if (value < 0.35) return t`On a typical text, most people agree.`;
  if (value < 0.7) return t`On a typical text, people are divided.`;
  return t`On a typical text, people are deeply divided.`;
}
