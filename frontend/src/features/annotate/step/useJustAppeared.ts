import { useRef } from "react";

/** The second click of a double click, or a held Enter, is meant for the previous step. */
const TOO_SOON_MS = 500;

/** Whether the step has only just appeared, so that a click on its button was not meant for it. */
export function useJustAppeared(): () => boolean {
  const since = useRef<number>(null);
  since.current ??= performance.now();
  return () => performance.now() - (since.current ?? 0) < TOO_SOON_MS;
}
