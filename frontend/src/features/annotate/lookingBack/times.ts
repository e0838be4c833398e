import { i18n } from "@lingui/core";

/** "25 Nov, 14:03", in this person's time zone. */
export function dayAndTime(iso: string): string {
  const then = new Date(iso);
  if (Number.isNaN(then.getTime())) return "";
  return then.toLocaleString(i18n.locales, {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
}
