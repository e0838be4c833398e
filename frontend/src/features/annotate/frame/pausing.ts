const listeners = new Set<() => void>();
let paused = false;

/** Whether the expert has paused: one state shared by the page, its clock and its keys. */
export const pausing = {
  now: () => paused,
  set(wanted: boolean) {
    if (wanted === paused) return;
    paused = wanted;
    for (const tell of listeners) tell();
  },
  subscribe(tell: () => void) {
    listeners.add(tell);
    return () => {
      listeners.delete(tell);
    };
  },
};
