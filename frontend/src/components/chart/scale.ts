// The size of a figure in its frame.

/** A small figure is enlarged to fill its frame, until its letters would be too large. */
const LARGEST = 1.5;
/** A tall one is shrunk to be seen as a whole, until its letters would be unreadable. */
const SMALLEST = 0.95;
/** A frame on a phone: its figures are as narrow as a column in a paper, with letters as small. */
const NARROW = 600;

type Box = { width: number; height: number };

/** How tall a figure may be before the rest of it is folded: it shares the window with what it illustrates. */
export function tallest(): number {
  const { innerWidth, innerHeight } = window;
  return innerWidth <= NARROW ? 0.55 * innerHeight : Math.min(640, 0.8 * innerHeight);
}

/** The factor by which a figure is enlarged to fill its frame, never wider than that. */
export function scaleOf(figure: Box, frame: Box): number {
  const wide = frame.width / figure.width;
  if (frame.width < NARROW) return wide;
  return Math.min(wide, LARGEST, Math.max(SMALLEST, frame.height / figure.height));
}
