import { msg } from "@lingui/core/macro";

/** The steps of the set-up, in their order: the address of each, and its name. */
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

/** Where a step stands; an address that names none is the first. */
export function placeOf(step: string | undefined): number {
  return Math.max(
    0,
    STEPS.findIndex(({ to }) => to === step),
  );
}
