import { type RefObject, useLayoutEffect, useState } from "react";
import { DENSITIES, foldings } from "./fitting";

export type Fit = {
  density: number;
  /** Rows with no bar above this share are folded; 0: none are. */
  folded: number;
  /** Whether even then not everything is in view. */
  scrolls: boolean;
};

const ROOMY: Fit = { density: 0, folded: 0, scrolls: false };

/**
 * Makes the rows in a box fit its height: they get lower, then the small ones fold, then the box scrolls.
 *
 * Every row carries its larger bar as `data-largest` and, once folded, `data-folded`; both, and the `data-density`
 * and `data-folds` of the box, are for the styles. A box whose height follows its content (on a low screen, with
 * large text) is left unchanged.
 */
export function useFit(
  box: RefObject<HTMLElement | null>,
  { mayFold, isUnfolded }: { mayFold: boolean; isUnfolded: boolean },
): Fit {
  const [fit, setFit] = useState(ROOMY);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    let isGone = false;
    const measure = () => {
      if (isGone) return;
      const found = fitted(element, mayFold && !isUnfolded);
      setFit((now) => (isSame(now, found) ? now : found));
    };
    measure();
    const observer = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(measure);
    observer?.observe(element);
    void document.fonts?.ready.then(measure);
    return () => {
      isGone = true;
      observer?.disconnect();
    };
  }, [box, mayFold, isUnfolded]);
  return fit;
}

/** Tries out on the page itself what fits, before anything is painted, and leaves it in the state that fits. */
function fitted(box: HTMLElement, mayFold: boolean): Fit {
  const rows = Array.from(box.querySelectorAll<HTMLElement>("[data-largest]"));
  const largest = (row: HTMLElement) => Number(row.dataset.largest);
  const fold = (share: number) => {
    box.toggleAttribute("data-folds", share > 0);
    for (const row of rows) row.toggleAttribute("data-folded", largest(row) <= share && share > 0);
  };
  const fits = () => box.scrollHeight <= box.clientHeight;
  fold(0);
  box.dataset.density = "0";
  if (getComputedStyle(box).overflowY === "visible") return ROOMY;
  for (const density of DENSITIES) {
    box.dataset.density = String(density);
    if (fits()) return { density, folded: 0, scrolls: false };
  }
  const density = DENSITIES.length - 1;
  let folded = 0;
  for (const share of mayFold ? foldings(rows.map(largest)) : []) {
    folded = share;
    fold(share);
    if (fits()) return { density, folded, scrolls: false };
  }
  return { density, folded, scrolls: true };
}

function isSame(one: Fit, other: Fit): boolean {
  return (
    one.density === other.density && one.folded === other.folded && one.scrolls === other.scrolls
  );
}
