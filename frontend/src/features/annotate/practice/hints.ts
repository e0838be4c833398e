import { plural, t } from "@lingui/core/macro";
import type { Label, Task } from "~/api/types";
import { isolated } from "~/languages/bidi";
import type { Preference } from "../preferenceStep/preference";

/**
 * What the practice says about step 1. It speaks of how to answer, never of what: whatever is chosen,
 * it says the same.
 */
export function labelsHint(
  task: Task["study"]["task"],
  labels: readonly Label[],
  chosen: readonly number[],
  before: readonly number[],
): string {
  if (task !== "multilabel") {
    return chosen.length === 0
      ? t`Choose the one answer that fits best. Arrow keys work, too.`
      : t`You chose one answer. Another choice takes its place. Then Continue.`;
  }
  const alone = labels.find((label) => label.exclusive && chosen.includes(label.position));
  if (alone) {
    const name = isolated(alone.name);
    return t`“${name}” stands alone: it takes the other answers back. Choose it once more to take it back.`;
  }
  if (chosen.length < before.length) {
    return t`That is how you take an answer back.`;
  }
  if (chosen.length === 0) {
    return t`Choose every answer that fits. With the keyboard, arrows move and Space chooses.`;
  }
  return plural(chosen.length, {
    one: "You chose one answer. Choose it once more to take it back: click it, or press Space on it.",
    other:
      "You chose # answers. Choose one of them once more to take it back: click it, or press Space on it.",
  });
}

/** What the practice says about step 2: what is still open, and that all can be changed. */
export function preferenceHint({ answer, certainty }: Preference): string {
  if (answer === null && certainty === null) {
    return t`Here are two descriptions of the text, A and B. Say which is more accurate: one, both, or neither. There is no right answer.`;
  }
  if (certainty === null) {
    return t`Your answer is marked. Now say how certain you are: the slider has no position until you choose one.`;
  }
  if (answer === null) {
    return t`Your certainty is set. Now say which description is more accurate: A, B, both, or neither.`;
  }
  return t`Both are given. You can still change them; Submit goes on.`;
}
