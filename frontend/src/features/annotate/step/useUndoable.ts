import { useCallback, useEffect, useState } from "react";

const NONE: readonly string[] = [];

type Past<State> = { state: State; earlier: readonly State[]; field: string };

/**
 * A step's entries with undo: `undo`, and Ctrl+Z or Command+Z. Sliding is one act, however many values it passes:
 * consecutive acts on one `field` are undone together if `joins` says so.
 */
export function useUndoable<State>(first: State, joins: readonly string[] = NONE) {
  const [past, setPast] = useState<Past<State>>({ state: first, earlier: [], field: "" });

  const enter = useCallback(
    (field: string, next: (now: State) => State) =>
      setPast(({ state, earlier, field: before }) => {
        const entered = next(state);
        if (entered === state) return { state, earlier, field: before };
        const isSameAct = field === before && joins.includes(field);
        return { state: entered, earlier: isSameAct ? earlier : [...earlier, state], field };
      }),
    [joins],
  );

  const undo = useCallback(
    () =>
      setPast((now) => {
        const state = now.earlier.at(-1);
        return state === undefined ? now : { state, earlier: now.earlier.slice(0, -1), field: "" };
      }),
    [],
  );

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      if (event.key.toLowerCase() !== "z" || document.querySelector("[role=dialog]")) return;
      // In a text field it undoes typing.
      const field = event.target instanceof HTMLInputElement ? event.target : null;
      if (field?.type === "text" && field.value !== "") return;
      event.preventDefault();
      undo();
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [undo]);

  return { state: past.state, enter, undo: past.earlier.length > 0 ? undo : null };
}
