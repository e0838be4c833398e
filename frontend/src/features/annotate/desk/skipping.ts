import type { Entry } from "~/outbox/entry";
import { isFinal } from "./desk";

/** The status of the report with which a text was skipped. */
export type Skipped = "saving" | "waits" | "saved";

/**
 * Whether the last thing the expert did in this study was to skip a text. This is shown beside the next one, until
 * that is answered. If the server refused the skip, that is shown elsewhere, and the text is back.
 */
export function justSkipped(
  stored: readonly Entry[],
  waiting: readonly Entry[],
  isTroubled: boolean,
): Skipped | null {
  const last = waiting.at(-1) ?? stored.at(-1);
  if (last?.kind !== "report" || !isFinal(last)) return null;
  if (waiting.length === 0) return "saved";
  return isTroubled ? "waits" : "saving";
}
