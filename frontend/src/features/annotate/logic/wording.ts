import type { Progress } from "~/api/types";

export function doneOf({ done, total }: Pick<Progress, "done" | "total">): string {
  return `${done} of ${total} done`;
}

/** "about 40 minutes left", rounded the way people speak; nothing while there is no estimate. */
export function timeLeft(minutes: number | null): string {
  if (minutes === null || minutes <= 0) return "";
  if (minutes < 2) return "about a minute left";
  if (minutes < 8) return `about ${Math.round(minutes)} minutes left`;
  if (minutes < 75) return `about ${Math.round(minutes / 5) * 5} minutes left`;
  const halves = Math.round(minutes / 30);
  if (halves === 2) return "about an hour left";
  const whole = Math.floor(halves / 2);
  return `about ${whole}${halves % 2 ? "½" : ""} hours left`;
}

/** "Saved 14:03", from the server's own time, on this person's clock; with the day when it was another one. */
export function savedAt(iso: string | null, now: Date = new Date()): string {
  if (!iso) return "";
  const then = new Date(iso);
  if (Number.isNaN(then.getTime())) return "";
  const time = then.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (then.toDateString() === now.toDateString()) return `Saved ${time}`;
  const day = then.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return `Saved ${day}, ${time}`;
}

/** A share as text. Every value gets the same number of decimals, or the decimals would tell the sides apart. */
export function percent(value: number): string {
  return `${Math.round(value * 100)} %`;
}
