import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import type { Label } from "~/api/types";
import { isolated } from "~/languages/bidi";

export type LabelTask = "multilabel" | "multiclass" | "ordinal";

/**
 * The choice after toggling one label. An exclusive label ("Not a legal issue") clears the others
 * and any other clears it; if a text has exactly one label, the newest choice replaces the old one.
 */
export function toggle(
  selected: readonly number[],
  position: number,
  labels: readonly Label[],
  task: LabelTask,
): number[] {
  if (task !== "multilabel") return [position];
  if (selected.includes(position)) return selected.filter((chosen) => chosen !== position);
  const exclusive = new Set(
    labels.filter((label) => label.exclusive).map((label) => label.position),
  );
  if (exclusive.has(position)) return [position];
  return [...selected.filter((chosen) => !exclusive.has(chosen)), position].sort((a, b) => a - b);
}

export function countChosen(count: number): string {
  return count === 0 ? t`None chosen` : plural(count, { one: "# chosen", other: "# chosen" });
}

/** "2 chosen: Privacy, Tax": what screen readers hear after each change. */
export function chosenInWords(chosen: readonly Label[]): string {
  if (chosen.length === 0) return countChosen(0);
  const count = countChosen(chosen.length);
  const list = new Intl.ListFormat(i18n.locales, { type: "conjunction" });
  const names = list.format(chosen.map((label) => isolated(label.name)));
  return t`${count}: ${names}`;
}
