import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";

/** "about 40 minutes left", as rounded by the server; longer times rounded up to half hours. */
export function timeLeft(minutes: number | null): string {
  if (minutes === null || minutes <= 0) return "";
  if (minutes < 75) {
    return plural(minutes, { one: "about a minute left", other: "about # minutes left" });
  }
  const halves = Math.ceil(minutes / 30);
  const hours = Math.floor(halves / 2);
  return halves % 2
    ? plural(hours, { one: "about #½ hours left", other: "about #½ hours left" })
    : plural(hours, { one: "about an hour left", other: "about # hours left" });
}

/** "Saved 14:03": the server's time, in this person's time zone; with the date if it was not today. */
export function savedAt(iso: string | null, now: Date = new Date()): string {
  if (!iso) return "";
  const then = new Date(iso);
  if (Number.isNaN(then.getTime())) return "";
  const time = then.toLocaleTimeString(i18n.locales, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  if (then.toDateString() === now.toDateString()) return t`Saved ${time}`;
  const day = then.toLocaleDateString(i18n.locales, { day: "numeric", month: "short" });
  return t`Saved ${day}, ${time}`;
}
