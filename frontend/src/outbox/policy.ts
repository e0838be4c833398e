import { ApiError } from "~/api/errors";

/**
 * What a failure to send an answer means.
 * - `later`: the outcome is unknown; repeating the same request may succeed.
 * - `who`: check who is signed in before anything else is sent.
 * - `refused`: the server understood it and will never accept it.
 */
export type Verdict = "later" | "who" | "refused";

/** An error that looks permanent but may come from a proxy, or from a server being repaired. */
export const MANY_ATTEMPTS = 12;

const PASSING = new Set([0, 408, 425, 429, 502, 503, 504]);

/** `attempts` counts how often this answer was sent, including this time. */
export function judge(error: unknown, attempts: number): Verdict {
  if (!(error instanceof ApiError)) return attempts < MANY_ATTEMPTS ? "later" : "refused";
  if (PASSING.has(error.status)) return "later";
  if (error.status === 401 || error.status === 403) return "who";
  if (error.code === "other_user") return "who";
  // Our own errors have a code. Those without one do not come from this application.
  const isOurs = error.status < 500 && !error.code.startsWith("http_");
  return isOurs || attempts >= MANY_ATTEMPTS ? "refused" : "later";
}

const FIRST_MS = 1_000;
const MOST_MS = 60_000;

/**
 * How long to wait after this many failures in a row: doubling from one second to one minute, minus up to half at
 * random, so that a hundred pages do not return to a restarted server at the same moment.
 */
export function pause(failures: number, random: () => number = Math.random): number {
  const whole = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return Math.round(whole / 2 + (whole / 2) * random());
}
