/** How densely rows may be packed: at 0 there is room, at the last they are as low as is still readable. */
export const DENSITIES = [0, 1, 2, 3] as const;

/** Bars below this may be folded; larger ones stay, and the chart scrolls if necessary. */
const SMALL = 0.25;

/**
 * The shares up to which rows may be folded, smallest first: all rows with the same larger bar fold together, on both
 * sides alike. At least one row stays.
 */
export function foldings(largest: readonly number[]): number[] {
  const shares = [...new Set(largest)].sort((one, other) => one - other);
  return shares.filter((share, index) => share < SMALL && index < shares.length - 1);
}
