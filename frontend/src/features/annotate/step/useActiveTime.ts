import { useCallback, useEffect, useRef } from "react";
import { pausing } from "../frame/pausing";
import { ActiveTime } from "./activeTime";

const SIGNS_OF_LIFE = ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchstart"];

const isInUse = () => !document.hidden && !pausing.now();

/**
 * Measures the active time of the step that is mounted; the returned function reads it.
 * `before` is how long the step had already been in use when it was left (stored in its draft).
 */
export function useActiveTime(before = 0): () => number {
  const time = useRef<ActiveTime>(null);
  const earlier = useRef(before);
  time.current ??= new ActiveTime(performance.now(), isInUse());
  useEffect(() => {
    const used = () => time.current?.used(performance.now());
    const shown = () => time.current?.shown(performance.now(), isInUse());
    for (const sign of SIGNS_OF_LIFE) {
      window.addEventListener(sign, used, { passive: true, capture: true });
    }
    document.addEventListener("visibilitychange", shown);
    const forget = pausing.subscribe(shown);
    return () => {
      for (const sign of SIGNS_OF_LIFE) window.removeEventListener(sign, used, { capture: true });
      document.removeEventListener("visibilitychange", shown);
      forget();
    };
  }, []);
  return useCallback(() => earlier.current + (time.current?.read(performance.now()) ?? 0), []);
}
