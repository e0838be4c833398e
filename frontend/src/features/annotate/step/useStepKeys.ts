import { useEffect, useRef } from "react";

/**
 * Handles keys pressed while no field has focus. Keys inside a dialog, a text field or another control
 * keep their own meaning, and so do combinations with Ctrl, Alt or Command.
 */
export function useStepKeys(handle: (event: KeyboardEvent) => void, reaches: "page" | "controls") {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.isComposing || document.querySelector("[role=dialog]")) return;
      const target = event.target instanceof Element ? event.target : document.body;
      const typing =
        "input:not([type=radio]):not([type=checkbox]), textarea, select"; /* not words */
      if (target.closest(typing)) return;
      if (reaches === "page" && target.closest("button, a, input")) return;
      latest.current(event);
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [reaches]);
}
