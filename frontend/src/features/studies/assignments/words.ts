import { plural } from "@lingui/core/macro";

/** What happened after places were assigned by a rule or from a list. */
export function assignedInWords(places: number): string {
  return plural(places, { one: "# place assigned.", other: "# places assigned." });
}
