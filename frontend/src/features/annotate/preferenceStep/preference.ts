import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

/** Step 2's answer while it is being given. What is untouched is missing: nothing is preset. */
export type Answer = "a" | "b" | "both" | "neither";
export type Preference = { answer: Answer | null; certainty: number | null };

export const unanswered: Preference = { answer: null, certainty: null };

type Choice = {
  answer: Answer;
  key: string;
  words: MessageDescriptor;
  /** For places with room for only one word. */
  word: MessageDescriptor;
};

export const ANSWERS: readonly Choice[] = [
  { answer: "a", key: "A", words: msg`A is more accurate`, word: msg`A` },
  { answer: "b", key: "B", words: msg`B is more accurate`, word: msg`B` },
  { answer: "both", key: "O", words: msg`Both are accurate`, word: msg`Both` },
  { answer: "neither", key: "N", words: msg`Neither is accurate`, word: msg`Neither` },
];

/** The possible answers: if both sides look the same, there is no side to prefer. */
export function answersTo(identical: boolean): readonly Choice[] {
  return identical
    ? ANSWERS.filter(({ answer }) => answer === "both" || answer === "neither")
    : ANSWERS;
}

/** The five worded points of the certainty scale, evenly spaced from 0 to 100. */
export const CERTAINTY_WORDS: readonly MessageDescriptor[] = [
  msg`Guessing`,
  msg`Unsure`,
  msg`Fairly sure`,
  msg`Sure`,
  msg`Certain`,
];

export const MIDDLE = 50;
const ARROW_STEP = 5;

/** What a key press means in step 2; returns the same object if it means nothing. */
export function pressed(state: Preference, key: string, identical = false): Preference {
  const answer = answersTo(identical).find((choice) => choice.key === key.toUpperCase());
  if (answer) return { ...state, answer: answer.answer };
  if (/^[1-5]$/.test(key)) return { ...state, certainty: (Number(key) - 1) * 25 };
  return state;
}

/** The certainty after a key on the slider: the first press sets the middle, later ones move. */
export function slid(
  certainty: number | null,
  key: string,
  direction: "ltr" | "rtl",
): number | null {
  const ahead = direction === "ltr" ? "ArrowRight" : "ArrowLeft";
  const back = direction === "ltr" ? "ArrowLeft" : "ArrowRight";
  const steps: Record<string, number> = {
    [ahead]: ARROW_STEP,
    [back]: -ARROW_STEP,
    ArrowUp: ARROW_STEP,
    ArrowDown: -ARROW_STEP,
    PageUp: 25,
    PageDown: -25,
  };
  if (key === "Home") return 0;
  if (key === "End") return 100;
  if (key === " ") return certainty ?? MIDDLE;
  const step = steps[key];
  if (step === undefined) return certainty;
  return certainty === null ? MIDDLE : Math.min(100, Math.max(0, certainty + step));
}

/** Which of the five words is nearest to a certainty from 0 to 100. */
export function nearestWord(certainty: number): number {
  return Math.round(certainty / 25);
}

/** What still has to be answered, in the page's words. */
export function missing(state: Preference, identical = false): string[] {
  const parts: string[] = [];
  if (state.answer === null)
    parts.push(identical ? t`whether both are accurate` : t`which side is more accurate`);
  if (state.certainty === null) parts.push(t`how certain you are`);
  return parts;
}

/** The answer in the server's form: two statements, and a certainty between 0 and 1. */
export function toBody(answer: Answer, certainty: number) {
  return {
    a_chosen: answer === "a" || answer === "both",
    b_chosen: answer === "b" || answer === "both",
    certainty: certainty / 100,
  };
}

/** A stored answer, in the form in which it was given. */
export function fromAnswered(answered: {
  a_chosen: boolean;
  b_chosen: boolean;
  certainty: number | null;
}): Preference {
  const { a_chosen: a, b_chosen: b, certainty } = answered;
  return {
    answer: a && b ? "both" : a ? "a" : b ? "b" : "neither",
    certainty: certainty === null ? null : Math.round(certainty * 100),
  };
}

/** What was answered in step 2, in the page's words. */
export function preferenceInWords({ answer, certainty }: Preference): string {
  const choice = ANSWERS.find((one) => one.answer === answer);
  const word = certainty === null ? undefined : CERTAINTY_WORDS[nearestWord(certainty)];
  return [choice && i18n._(choice.words), word && i18n._(word)].filter(Boolean).join(" · ");
}
