import type { StudyOverview } from "~/api/types";
import { counted } from "~/components/words";

type Forecast = StudyOverview["forecast"];

/** A day as people say it: "28 Nov", with the year where it is another one. */
export function day(iso: string, now = new Date()): string {
  const then = new Date(`${iso}T00:00:00Z`);
  const year = then.getUTCFullYear() === now.getUTCFullYear() ? undefined : "numeric";
  return then.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year,
    timeZone: "UTC",
  });
}

/** The sentence that the page opens with. */
export function headline({ done, total, forecast }: StudyOverview): string {
  if (total === 0) return "Nothing is planned yet, so there is nothing to answer.";
  if (done >= total) return `All ${counted(total, "answer")} are here.`;
  const so = `${done.toLocaleString("en-GB")} of ${counted(total, "answer")} are here`;
  return forecast.date ? `${so}; at this pace the last comes on ${day(forecast.date)}.` : `${so}.`;
}

export function pace({ per_day, reason }: Forecast): string {
  if (reason) return reason;
  return `${per_day.toLocaleString("en-GB")} answers a day in the last 7 days`;
}

/** Milliseconds as minutes and seconds, "1:12". */
export function minutes(ms: number | null): string {
  if (ms === null) return "–";
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export function share(value: number | null): string {
  return value === null ? "–" : `${Math.round(100 * value)}%`;
}

/** How long ago, in the largest unit that fits. */
export function ago(iso: string | null, now = new Date()): string {
  if (!iso) return "not yet";
  const minutesAgo = Math.max(0, Math.floor((now.getTime() - new Date(iso).getTime()) / 60_000));
  if (minutesAgo < 1) return "just now";
  if (minutesAgo < 60) return `${counted(minutesAgo, "minute")} ago`;
  if (minutesAgo < 1_440) return `${counted(Math.floor(minutesAgo / 60), "hour")} ago`;
  return `${counted(Math.floor(minutesAgo / 1_440), "day")} ago`;
}
