import { plural, t } from "@lingui/core/macro";
import type { StudyOverview } from "~/api/types";
import { calendarDay, inDigits, NOTHING } from "~/languages/formats";

type Forecast = StudyOverview["forecast"];

/** The page's opening sentence. */
export function headline({ done, total, forecast }: StudyOverview): string {
  if (total === 0) return t`Nothing is planned yet, so there is nothing to answer.`;
  if (done >= total) {
    return plural(total, { one: "The only answer is in.", other: "All # answers are in." });
  }
  const count = inDigits(done);
  if (!forecast.date) {
    return plural(total, {
      one: `${count} of # answer is in.`,
      other: `${count} of # answers are in.`,
    });
  }
  const day = calendarDay(forecast.date);
  return plural(total, {
    one: `${count} of # answer is in. At this pace, the last one will arrive on ${day}.`,
    other: `${count} of # answers are in. At this pace, the last one will arrive on ${day}.`,
  });
}

export function pace({ per_day, reason }: Forecast): string {
  if (reason) return reason;
  return plural(per_day, {
    one: "# answer per day in the last 7 days",
    other: "# answers per day in the last 7 days",
  });
}

/** Milliseconds as minutes and seconds, "1:12". */
export function minutes(ms: number | null): string {
  if (ms === null) return NOTHING;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
