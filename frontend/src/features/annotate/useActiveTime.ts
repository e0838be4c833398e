import { useEffect, useRef } from "react";
import { ActiveTime } from "./logic/activeTime";

const SIGNS_OF_LIFE = ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchstart"];

/** Measures the active time of the step that is mounted; the returned function reads it. */
export function useActiveTime(): () => number {
  const time = useRef<ActiveTime>(null);
  time.current ??= new ActiveTime(performance.now(), !document.hidden);
  useEffect(() => {
    const used = () => time.current?.used(performance.now());
    const shown = () => time.current?.shown(performance.now(), !document.hidden);
    for (const sign of SIGNS_OF_LIFE) {
      window.addEventListener(sign, used, { passive: true, capture: true });
    }
    document.addEventListener("visibilitychange", shown);
    return () => {
      for (const sign of SIGNS_OF_LIFE) window.removeEventListener(sign, used, { capture: true });
      document.removeEventListener("visibilitychange", shown);
    };
  }, []);
  return () => time.current?.read(performance.now()) ?? 0;
}
