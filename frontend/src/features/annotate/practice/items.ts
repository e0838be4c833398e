import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Assignment, Bar, Label, Task } from "~/api/types";

/** Invented, and about nothing that a study asks for. */
export const TEXTS: readonly MessageDescriptor[] = [
  msg`A library lends books, films and games. On weekdays it opens at nine in the morning and closes at six in the evening. On Saturdays it closes at two.`,
  msg`Two neighbours share a garden. One of them would like to plant vegetables, the other one flowers. They divide it by a small path, and both are content.`,
];

/** Shares of the two sides by how many labels there are to draw. Made up alike: neither side is of any kind. */
const ANY_LABELS = [
  [
    [0.7, 0.45, 0.2],
    [0.6, 0.35, 0.3],
  ],
  [
    [0.5, 0.4, 0.25],
    [0.65, 0.3, 0.15],
  ],
] as const;
const ONE_LABEL = [
  [
    [0.6, 0.25, 0.15],
    [0.45, 0.35, 0.2],
  ],
  [
    [0.5, 0.3, 0.2],
    [0.65, 0.2, 0.15],
  ],
] as const;
const TWO_LABELS = [
  [
    [0.65, 0.35],
    [0.55, 0.45],
  ],
  [
    [0.55, 0.45],
    [0.7, 0.3],
  ],
] as const;

/**
 * The bars of one side: made-up shares on the study's own labels, which are taken in turn from its list. They
 * depend on nothing but the list and the practice's number, and both sides are made in the same way.
 */
export function practiceBars(
  labels: readonly Label[],
  task: Task["study"]["task"],
  item: number,
  side: 0 | 1,
): Bar[] {
  const usable = labels.filter((label) => !label.exclusive);
  const table = task === "multilabel" ? ANY_LABELS : usable.length === 2 ? TWO_LABELS : ONE_LABEL;
  const shares = table[item % table.length]?.[side] ?? [];
  const drawn = usable.length < 2 ? usable.length : Math.min(shares.length, usable.length);
  const first = item * 3;
  return Array.from({ length: drawn }, (_, rank) => {
    // The second side begins with another label, so that there is something to compare.
    const label = usable[(first + ((rank + side) % drawn)) % usable.length];
    return { label: label?.name ?? "", value: drawn === 1 ? 1 : (shares[rank] ?? 0) };
  });
}

/** A practice text in the shape of a real one. Its token leads nowhere: nothing of it is ever sent. */
export function practiceAssignment(
  study: Task["study"],
  text: string,
  item: number,
  selected: number[] | null,
): Assignment {
  return {
    token: `practice-${item}`,
    step: selected === null ? 1 : 2,
    direction: study.direction,
    language: study.language,
    segments: [{ name: "", text }],
    selected,
    comparison: selected && {
      a: practiceBars(study.labels, study.task, item, 0),
      b: practiceBars(study.labels, study.task, item, 1),
      identical: false,
    },
    answered: null,
  };
}
