import type { MessageDescriptor } from "@lingui/core";
import type { Assignment, Bar, Label, Task } from "~/api/types";
import { fitting, textsFor } from "./texts";

type Study = Pick<Task["study"], "task" | "labels">;
type Side = 0 | 1;

/** How many texts there are to practise with. */
export const ROUNDS = 2;

/*
 * Shares of the two sides, by rank of the label: some large, some small, as people's are. Both are made up in the same
 * way: over the two texts neither side is sharper, so neither can be taken for people's. Side A begins with whole
 * tenths, which can be explained as "7 of 10".
 */
const ANY_LABELS = [
  [
    [0.7, 0.45, 0.2, 0],
    [0.45, 0.3, 0.35, 0.15],
  ],
  [
    [0.5, 0.35, 0.25, 0.15],
    [0.8, 0.5, 0, 0],
  ],
] as const;
const ONE_LABEL = [
  [
    [0.6, 0.25, 0.15],
    [0.35, 0.45, 0.2],
  ],
  [
    [0.4, 0.35, 0.25],
    [0.8, 0.2, 0],
  ],
] as const;
const TWO_LABELS = [
  [
    [0.7, 0.3],
    [0.4, 0.6],
  ],
  [
    [0.6, 0.4],
    [0.8, 0.2],
  ],
] as const;

/** On a scale, people are close together: shares by the distance from the most frequent point. */
const SHARP = [
  [-1, 0.2],
  [0, 0.6],
  [1, 0.2],
] as const;
const BROAD = [
  [-2, 0.15],
  [-1, 0.35],
  [0, 0.3],
  [1, 0.2],
] as const;

function scaleShares(points: number, item: number, side: Side): number[] {
  const shares = Array.from({ length: points }, () => 0);
  const [sharpAt, broadAt] =
    item === 0
      ? [Math.ceil(points / 2), Math.ceil(points / 2) - 1]
      : [Math.floor((points - 1) / 2) + 1, Math.floor((points - 1) / 2)];
  const isSharp = side === item;
  for (const [distance, share] of isSharp ? SHARP : BROAD) {
    const at = (isSharp ? sharpAt : broadAt) + distance;
    const point = Math.min(points - 1, Math.max(0, at));
    shares[point] = Math.round(((shares[point] ?? 0) + share) * 100) / 100;
  }
  return shares;
}

/** The parts of a practice text. */
export function practiceText({ task, labels }: Study, item: number): readonly MessageDescriptor[] {
  return textsFor(task, labels)[item]?.parts ?? [];
}

/** The labels to draw, likeliest first: those that suit the text, or else some from the list. */
function ranked({ task, labels }: Study, item: number): readonly Label[] {
  const usable = labels.filter((label) => !label.exclusive);
  const text = textsFor(task, labels)[item];
  const found = text ? fitting(text, labels) : [];
  if (found.length >= 2) return found;
  const first = usable.length > 0 ? (item * 3) % usable.length : 0;
  return [...usable.slice(first), ...usable.slice(0, first)];
}

/** The bars of one side: made-up shares for the study's own labels, largest first. */
export function practiceBars(study: Study, item: number, side: Side): Bar[] {
  const { task, labels } = study;
  const isScale = task === "ordinal";
  const drawn = isScale ? labels : ranked(study, item);
  if (drawn.length === 1) return drawn.map(({ name }) => ({ label: name, value: 1 }));
  const table = task === "multilabel" ? ANY_LABELS : drawn.length === 2 ? TWO_LABELS : ONE_LABEL;
  const shares = isScale ? scaleShares(drawn.length, item, side) : (table[item]?.[side] ?? []);
  return drawn
    .map(({ name }, rank) => ({ label: name, value: shares[rank] ?? 0 }))
    .filter((bar) => bar.value > 0)
    .sort((a, b) => b.value - a.value);
}

/** The bar that the practice explains: the first text's longest on side A. */
export function exampleBar(study: Study, item: number): Bar | undefined {
  return item === 0 ? practiceBars(study, 0, 0)[0] : undefined;
}

/** A practice text in the shape of a real one. Its token leads nowhere; nothing is ever sent. */
export function practiceAssignment(
  study: Task["study"],
  parts: readonly string[],
  item: number,
  selected: number[] | null,
): Assignment {
  return {
    token: `practice-${item}`,
    step: selected === null ? 1 : 2,
    direction: study.direction,
    language: study.language,
    segments: parts.map((text) => ({ name: "", text })),
    selected,
    comparison: selected && {
      a: practiceBars(study, item, 0),
      b: practiceBars(study, item, 1),
      identical: false,
    },
    answered: null,
  };
}
