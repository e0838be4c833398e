// The order of the questions.
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { Analysis } from "~/api/types";

export const presetGroup = () => t`The question of this study`;

export const answeredGroup = () => t`Answered`;

/** The groups, by the server's names. */
const GROUPS: Record<Analysis["group"], MessageDescriptor> = {
  "The metrics": msg`The metrics`,
  "The systems": msg`The systems`,
  "The experts": msg`The experts`,
  "The study itself": msg`The study itself`,
  Planning: msg`Planning`,
  Other: msg`Other`,
};

/**
 * The questions in their groups, in the server's order: the preset one first, then those with an answer, whatever
 * the group, and then the others.
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

/** The address of a question's settings, relative to the page of questions. */
export function settingsOf(name: string): string {
  return `?ask=${encodeURIComponent(name)}`;
}

/** Whether an answer is hidden, because the study is not closed and nobody asked to see it. */
export function isKeptBack(analyses: readonly Analysis[]): boolean {
  return analyses.some(({ latest }) => latest !== null && latest.answer === null);
}
