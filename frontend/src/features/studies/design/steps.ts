import { msg } from "@lingui/core/macro";

/** The steps of setting up, in order: the address of each, and its name. */
export const STEPS = [
  { to: "data", name: msg`Data` },
  { to: "compared", name: msg`What is compared` },
  { to: "asked", name: msg`What experts are asked` },
  { to: "amount", name: msg`How much` },
  { to: "people", name: msg({ message: "People", context: "tab of a study" }) },
  { to: "analysis", name: msg`Analysis plan` },
  { to: "check", name: msg`Check and open` },
] as const;

export type Step = (typeof STEPS)[number]["to"];

/** The index of a step; an unknown address means the first. */
export function placeOf(step: string | undefined): number {
  return Math.max(
    0,
    STEPS.findIndex(({ to }) => to === step),
  );
}
