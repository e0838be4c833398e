import { type RefObject, useEffect, useState } from "react";

/** Whether an element is still below the visible part of the page, so that the page has to point to it. */
export function useIsBelow(ref: RefObject<HTMLElement | null>): boolean {
  const [isBelow, setIsBelow] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element || typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.rootBounds) return;
        setIsBelow(!entry.isIntersecting && entry.boundingClientRect.top > entry.rootBounds.top);
      },
      // The bar with the main button covers the lower edge, so part of the question has to be above it.
      { rootMargin: "0px 0px -140px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return isBelow;
}
