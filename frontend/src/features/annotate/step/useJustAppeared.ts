import { useRef } from "react";

/** The second click of a double click, or a held Enter: meant for the step before. */
const TOO_SOON_MS = 500;

/** Whether the step has only just come: a click on its button was then not meant for it. */
export function useJustAppeared(): () => boolean {
  const since = useRef<number>(null);
  since.current ??= performance.now();
  return () => performance.now() - (since.current ?? 0) < TOO_SOON_MS;
}
