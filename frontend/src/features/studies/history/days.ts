import { i18n } from "@lingui/core";
import { inDigits } from "~/languages/formats";

/** One day's events, by the reader's calendar. */
export type Day<Event> = { day: string; events: Event[] };

/** Events in the order received, one group per day. */
export function byDay<Event extends { at: string }>(events: readonly Event[]): Day<Event>[] {
  const days: Day<Event>[] = [];
  for (const event of events) {
    const day = new Date(event.at).toLocaleDateString(i18n.locales, {
      weekday: "long",
      day: "numeric",
      month: "long",
      year: "numeric",
    });
    const last = days.at(-1);
    if (last?.day === day) last.events.push(event);
    else days.push({ day, events: [event] });
  }
  return days;
}

/** Counts and names as pairs, without a machine's brackets; recorded values stay as they are, in English. */
export function detailsOf(details: unknown): [name: string, value: string][] {
  if (typeof details !== "object" || details === null) return [];
  return Object.entries(details).map(([name, value]) => [
    name.replaceAll("_", " "),
    inWords(value),
  ]);
}

function inWords(value: unknown): string {
  if (value === null || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return inDigits(value, { maximumFractionDigits: 6 });
  if (Array.isArray(value)) {
    return value.map(inWords).join(", ") || "none";
  }
  if (typeof value === "object") {
    return detailsOf(value)
      .map(([name, inner]) => `${name} ${inner}`)
      .join(", ");
  }
  return String(value);
}
