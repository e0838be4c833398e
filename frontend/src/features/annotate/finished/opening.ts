import { i18n } from "@lingui/core";

/** "4 January 2027, 10:00", in this person's time zone; nothing if no time is announced. */
export function openingTime(iso: string | null): string {
  const then = iso ? new Date(iso) : null;
  if (!then || Number.isNaN(then.getTime())) return "";
  return then.toLocaleString(i18n.locales, {
    dateStyle: "long",
    timeStyle: "short",
    hourCycle: "h23",
  });
}
