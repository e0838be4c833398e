import type { Entry } from "~/outbox/entry";
import { isFinal } from "./desk";

/** What became of the report with which a text was skipped. */
export type Skipped = "saving" | "waits" | "saved";

/**
 * Whether the last thing that the expert did in this study was to skip a text: said beside the next one, until
 * something of that is answered. What the server refused is told elsewhere, and the text is there again.
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
