// How large a figure stands in its frame.

/** A small figure is enlarged to fill its frame, until its letters would shout. */
const LARGEST = 1.5;
/** A tall one is made smaller to be seen whole, until its letters could not be read. */
const SMALLEST = 0.95;
/** A frame on a phone: figures for it are made as narrow as a column of a paper, with letters as small. */
const NARROW = 600;

type Box = { width: number; height: number };

/** How tall a figure may be before the rest of it is unfolded: it shares the window with what it illustrates. */
export function tallest(): number {
  const { innerWidth, innerHeight } = window;
  return innerWidth <= NARROW ? 0.55 * innerHeight : Math.min(640, 0.8 * innerHeight);
}

/** By how much a figure is enlarged to stand in its frame: never wider than that. */
export function scaleOf(figure: Box, frame: Box): number {
  const wide = frame.width / figure.width;
  if (frame.width < NARROW) return wide;
  return Math.min(wide, LARGEST, Math.max(SMALLEST, frame.height / figure.height));
}
