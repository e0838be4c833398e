/** The steps of the set-up, in their order: the address of each, and its name. */
export const STEPS = [
  { to: "data", name: "Data" },
  { to: "compared", name: "What is compared" },
  { to: "asked", name: "What experts are asked" },
  { to: "amount", name: "How much" },
  { to: "people", name: "People" },
  { to: "analysis", name: "Analysis plan" },
  { to: "check", name: "Check and open" },
] as const;

export type Step = (typeof STEPS)[number]["to"];

/** Where a step stands; an address that names none is the first. */
export function placeOf(step: string | undefined): number {
  return Math.max(
    0,
    STEPS.findIndex(({ to }) => to === step),
  );
}
