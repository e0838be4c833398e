export type Box = { left: number; top: number; width: number; height: number };
export type ArrowKey = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End";

export function isMoveKey(key: string): key is ArrowKey {
  return ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(key);
}

/**
 * Where the focus moves among chips that wrap over several lines: left and right in reading order,
 * up and down to the nearest chip in the next line. -1 means "out at the top", back to the search field.
 */
export function moveTo(
  boxes: readonly Box[],
  current: number,
  key: ArrowKey,
  direction: "ltr" | "rtl",
): number {
  const last = boxes.length - 1;
  const here = boxes[current];
  if (!here) return 0;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const forward = (key === "ArrowRight") === (direction === "ltr");
    return Math.min(last, Math.max(0, current + (forward ? 1 : -1)));
  }
  const down = key === "ArrowDown";
  const beyond = boxes
    .map((box, index) => ({ box, index }))
    .filter(({ box }) =>
      down ? box.top >= here.top + here.height * 0.6 : box.top + box.height * 0.6 <= here.top,
    );
  if (beyond.length === 0) return down ? current : -1;
  const line = beyond.reduce(
    (nearest, { box }) => (down ? Math.min(nearest, box.top) : Math.max(nearest, box.top)),
    down ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY,
  );
  const middle = here.left + here.width / 2;
  const distance = (box: Box) => Math.abs(box.left + box.width / 2 - middle);
  return beyond
    .filter(({ box }) => Math.abs(box.top - line) < box.height / 2)
    .reduce((best, next) => (distance(next.box) < distance(best.box) ? next : best)).index;
}
