import { useEffect, useRef } from "react";
import type { Draft } from "~/outbox/drafts";

/**
 * Passes on what has been entered so far: at every change, and when the page is hidden, left or reloaded, so that
 * the active time is kept, too.
 */
export function useDraft<Entered>(
  entered: Entered,
  activeTime: () => number,
  keep: ((draft: Draft<Entered>) => void) | undefined,
) {
  const latest = useRef({ entered, keep });
  latest.current = { entered, keep };
  const isFirst = useRef(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the entries must be kept
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else latest.current.keep?.({ entered, active_ms: activeTime() });
  }, [entered]);

  useEffect(() => {
    const leave = () =>
      latest.current.keep?.({ entered: latest.current.entered, active_ms: activeTime() });
    window.addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", leave);
    return () => {
      leave();
      window.removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", leave);
    };
  }, [activeTime]);
}
