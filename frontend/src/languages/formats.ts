import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { isolated } from "./bidi";

// Numbers, shares, lists and times as the page's language writes them.

/** Shown if there is no value. */
export const NOTHING = "–";

export function inDigits(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(i18n.locales, options).format(value);
}

/** "2,884 of 2,912 done". */
export function doneOf(progress: { done: number; total: number }): string {
  const [done, total] = [inDigits(progress.done), inDigits(progress.total)];
  return t`${done} of ${total} done`;
}

/** A number with a fixed number of decimals: "0.42", "0,42". */
export function decimals(value: number, places = 2): string {
  return inDigits(value, { minimumFractionDigits: places, maximumFractionDigits: places });
}

/**
 * A share as text, as the page's language writes it: "35%", "35 %". Every value gets the same number of decimals,
 * because decimals could tell the sides of a comparison apart.
 */
export function percent(share: number): string {
  return inDigits(share, { style: "percent", maximumFractionDigits: 0 });
}

/** "A, B and C", each name in its own direction. */
export function listed(names: readonly string[]): string {
  const format = new Intl.ListFormat(i18n.locales, { type: "conjunction" });
  return format.format(names.map(isolated));
}

/** "12 texts, 3 labels": the parts of a line, without empty ones. */
export function inARow(parts: readonly (string | number | null | undefined | false)[]): string {
  return parts.filter(Boolean).join(t({ message: ", ", context: "between parts of a line" }));
}

/** A date and a time of day, in this person's time zone: "28 Nov 2026, 14:03". */
export function moment(iso: string | null | undefined): string {
  if (!iso) return "";
  const then = new Date(iso);
  if (Number.isNaN(then.getTime())) return iso;
  return then.toLocaleString(i18n.locales, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
}

/** "14:03", in this person's time zone. */
export function clock(then: Date): string {
  return then.toLocaleTimeString(i18n.locales, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
}

/**
 * A calendar day, such as "2026-11-28", as people write it: "28 Nov", with the year if it is not the current one; of a
 * moment, the day in this person's time zone.
 * German abbreviates months with a full stop, which would collide with the sentence's, so months are written out.
 */
export function calendarDay(date: string, now = new Date()): string {
  const isMoment = date.includes("T");
  const then = new Date(isMoment ? date : `${date}T00:00:00Z`);
  const year = then.getUTCFullYear() === now.getUTCFullYear() ? undefined : "numeric";
  return then.toLocaleDateString(i18n.locales, {
    day: "numeric",
    month: i18n.locale === "de" ? "long" : "short",
    year,
    timeZone: isMoment ? undefined : "UTC",
  });
}

/** "12 minutes ago", in the largest unit that fits. */
export function ago(then: Date, now = new Date()): string {
  const format = new Intl.RelativeTimeFormat(i18n.locales, { numeric: "auto" });
  const minutes = Math.max(0, Math.floor((now.getTime() - then.getTime()) / 60_000));
  if (minutes < 1) return format.format(0, "second");
  if (minutes < 60) return format.format(-minutes, "minute");
  if (minutes < 1_440) return format.format(-Math.floor(minutes / 60), "hour");
  return format.format(-Math.floor(minutes / 1_440), "day");
}

/** A file's size in readable units: "12 kB", "3.4 MB". */
export function fileSize(bytes: number): string {
  const size = { style: "unit", unitDisplay: "short" } as const;
  return bytes < 1_000_000
    ? inDigits(Math.max(1, Math.round(bytes / 1_000)), { ...size, unit: "kilobyte" })
    : inDigits(bytes / 1_000_000, { ...size, unit: "megabyte", maximumFractionDigits: 1 });
}
