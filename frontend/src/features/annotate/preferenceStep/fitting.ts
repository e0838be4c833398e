/** How close rows may stand: at 0 there is room, at the last one they are as low as can be read well. */
export const DENSITIES = [0, 1, 2, 3] as const;

/** Bars below this may be folded away; whatever is taller stays, and the chart scrolls where it must. */
const SMALL = 0.25;

/**
 * Up to which shares rows may be folded, the least first: all rows whose larger bar is the same go together, on both
 * sides alike. At least one row stays.
 */
export function foldings(largest: readonly number[]): number[] {
  const shares = [...new Set(largest)].sort((one, other) => one - other);
  return shares.filter((share, index) => share < SMALL && index < shares.length - 1);
}
