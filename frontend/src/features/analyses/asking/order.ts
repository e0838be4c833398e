// Which question stands where.
import type { Analysis } from "~/api/types";

export const PRESET = "The question of this study";

/** The questions in their groups, in the server's order; the preset one is a group of its own, and the first. */
export function inGroups(analyses: readonly Analysis[]): { group: string; entries: Analysis[] }[] {
  const groups = new Map<string, Analysis[]>();
  for (const analysis of [...analyses].sort((one, other) => one.place - other.place)) {
    const group = analysis.is_preset ? PRESET : analysis.group;
    groups.set(group, [...(groups.get(group) ?? []), analysis]);
  }
  return [...groups].map(([group, entries]) => ({ group, entries }));
}

/** Where the settings of a question are, from the page of questions. */
export function settingsOf(name: string): string {
  return `?ask=${encodeURIComponent(name)}`;
}

/** Whether there is an answer that is kept back: the study has not closed, and nobody asked. */
export function isKeptBack(analyses: readonly Analysis[]): boolean {
  return analyses.some(({ latest }) => latest !== null && latest.answer === null);
}
