// Which question stands where.
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { Analysis } from "~/api/types";

export const presetGroup = () => t`The question of this study`;

export const answeredGroup = () => t`Answered`;

/** The groups as the server names them. */
const GROUPS: Record<Analysis["group"], MessageDescriptor> = {
  "The metrics": msg`The metrics`,
  "The systems": msg`The systems`,
  "The experts": msg`The experts`,
  "The study itself": msg`The study itself`,
  Planning: msg`Planning`,
  Other: msg`Other`,
};

/**
 * The questions in their groups, in the server's order: the preset one first, then what has been answered, whatever it
 * is about, and then what can still be asked.
 */
export function inGroups(analyses: readonly Analysis[]): { group: string; entries: Analysis[] }[] {
  const [preset, answered] = [presetGroup(), answeredGroup()];
  const groups = new Map<string, Analysis[]>([
    [preset, []],
    [answered, []],
  ]);
  for (const analysis of [...analyses].sort((one, other) => one.place - other.place)) {
    const group = analysis.is_preset
      ? preset
      : analysis.latest
        ? answered
        : i18n._(GROUPS[analysis.group]);
    groups.set(group, [...(groups.get(group) ?? []), analysis]);
  }
  return [...groups]
    .map(([group, entries]) => ({ group, entries }))
    .filter(({ entries }) => entries.length > 0);
}

/** Where the settings of a question are, from the page of questions. */
export function settingsOf(name: string): string {
  return `?ask=${encodeURIComponent(name)}`;
}

/** Whether there is an answer that is kept back: the study has not closed, and nobody asked. */
export function isKeptBack(analyses: readonly Analysis[]): boolean {
  return analyses.some(({ latest }) => latest !== null && latest.answer === null);
}
