import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * Tells the styles how much the header covers (`--below-header`): it wraps on a phone and with large text, and what
 * sticks below it or is jumped to must not end up behind it.
 */
export function useHeaderHeight(): RefObject<HTMLElement | null> {
  const header = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = header.current;
    const root = document.documentElement.style;
    if (!element) return;
    const tell = () => root.setProperty("--below-header", `${element.offsetHeight}px`);
    tell();
    const observer = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(tell);
    observer?.observe(element);
    return () => {
      observer?.disconnect();
      root.removeProperty("--below-header");
    };
  }, []);
  return header;
}
