import { plural, t } from "@lingui/core/macro";
import type { Bar, Label, Task } from "~/api/types";
import { isolated } from "~/languages/bidi";
import { percent } from "~/languages/formats";
import type { Preference } from "../preferenceStep/preference";

/**
 * What the practice says about step 1. It explains how to answer, never what: it says the same
 * whatever is chosen.
 */
export function labelsHint(
  task: Task["study"]["task"],
  labels: readonly Label[],
  chosen: readonly number[],
  before: readonly number[],
): string {
  if (task !== "multilabel") {
    return chosen.length === 0
      ? t`Choose the one label that fits best. The arrow keys work, too.`
      : t`You chose one label. Choosing another replaces it. Then press Continue.`;
  }
  const alone = labels.find((label) => label.exclusive && chosen.includes(label.position));
  if (alone) {
    const name = isolated(alone.name);
    return t`“${name}” cannot be combined: it clears the other labels. Choose it once more to clear it.`;
  }
  if (chosen.length < before.length) {
    return t`That is how you clear a label.`;
  }
  if (chosen.length === 0) {
    return t`Choose every label that fits. With the keyboard, the arrows move and Space chooses.`;
  }
  return plural(chosen.length, {
    one: "You chose one label. To clear it, choose it once more: click it, or press Space on it.",
    other: "You chose # labels. To clear one, choose it once more: click it, or press Space on it.",
  });
}

/**
 * What the practice says about step 2: what a bar means, with a bar of the page's own, then what is still open, and
 * that everything can be changed.
 */
export function preferenceHint(
  { answer, certainty }: Preference,
  example?: Bar,
  meaning = "",
): string {
  if (answer === null && certainty === null) {
    return example
      ? barInWords(example, meaning)
      : t`Which side is more accurate: A, B, both, or neither? There is no right answer.`;
  }
  if (certainty === null) {
    return t`Your choice is marked. Now say how certain you are: the slider is not set yet.`;
  }
  if (answer === null) {
    return t`You have said how certain you are. Now choose: A, B, both, or neither.`;
  }
  return t`Both questions are answered. You can still change both; press Submit to continue.`;
}

/** "60%: 6 of 10" people, or whoever the study's own words refer to. Its shares are whole tenths. */
function barInWords({ label, value }: Bar, meaning: string): string {
  const name = isolated(label);
  const share = percent(value);
  const count = Math.round(value * 10);
  if (!meaning) {
    return t`A bar shows how many people would choose a label. On side A, “${name}” has ${share}: ${count} of 10 people would choose it. Which side is more accurate?`;
  }
  const words = isolated(meaning);
  return t`What a bar shows: ${words}. On side A, “${name}” has ${share}: that is ${count} of 10. Which side is more accurate?`;
}
