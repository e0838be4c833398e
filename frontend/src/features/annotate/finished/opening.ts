import { i18n } from "@lingui/core";

/** "4 January 2027, 10:00", on this person's clock; nothing where no time is told. */
export function openingTime(iso: string | null): string {
  const then = iso ? new Date(iso) : null;
  if (!then || Number.isNaN(then.getTime())) return "";
  return then.toLocaleString(i18n.locales, {
    dateStyle: "long",
    timeStyle: "short",
    hourCycle: "h23",
  });
}
