/** Step 2's answer while it is being given. Untouched is missing: nothing is preset. */
export type Answer = "a" | "b" | "both" | "neither";
export type Preference = { answer: Answer | null; certainty: number | null };

export const unanswered: Preference = { answer: null, certainty: null };

export const ANSWERS: readonly { answer: Answer; key: string; words: string }[] = [
  { answer: "a", key: "A", words: "A is more accurate" },
  { answer: "b", key: "B", words: "B is more accurate" },
  { answer: "both", key: "O", words: "Both are accurate" },
  { answer: "neither", key: "N", words: "Neither is accurate" },
];

/** The five worded points of the certainty scale, evenly spaced from 0 to 100. */
export const CERTAINTY_WORDS = ["Guessing", "Unsure", "Fairly sure", "Sure", "Certain"] as const;

export const MIDDLE = 50;
const ARROW_STEP = 5;

/** What a key press means on step 2; the same object comes back when it means nothing. */
export function pressed(state: Preference, key: string): Preference {
  const answer = ANSWERS.find((choice) => choice.key === key.toUpperCase());
  if (answer) return { ...state, answer: answer.answer };
  if (/^[1-5]$/.test(key)) return { ...state, certainty: (Number(key) - 1) * 25 };
  return state;
}

/** The certainty after a key on the slider: the first press takes the middle, later ones move. */
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

/** Which of the five words stands nearest to a certainty of 0 to 100. */
export function nearestWord(certainty: number): number {
  return Math.round(certainty / 25);
}

/** What still has to be answered, in the words of the page. */
export function missing(state: Preference): string[] {
  const parts: string[] = [];
  if (state.answer === null) parts.push("which is more accurate");
  if (state.certainty === null) parts.push("how certain you are");
  return parts;
}

/** The answer as the server takes it: two statements, and a certainty between 0 and 1. */
export function toBody(answer: Answer, certainty: number) {
  return {
    a_chosen: answer === "a" || answer === "both",
    b_chosen: answer === "b" || answer === "both",
    certainty: certainty / 100,
  };
}
