import type { MessageDescriptor } from "@lingui/core";
import { i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { calendarDay } from "~/languages/formats";
import type { ExportFilters } from "./calls";

export const EVERYTHING: ExportFilters = {
  pilot: "include",
  simulated: "include",
  from: null,
  to: null,
  revisions: "last",
  identified: false,
};

/** The filters that a format supports; the others count as not set. */
export function followed(filters: ExportFilters, known: readonly string[]): ExportFilters {
  const kept = Object.entries(filters).filter(([name]) => known.includes(name));
  return { ...EVERYTHING, ...Object.fromEntries(kept) };
}

type Scopes = Record<ExportFilters["pilot"], MessageDescriptor>;

export const PILOT: Scopes = {
  include: msg`With the pilot`,
  exclude: msg`Without the pilot`,
  only: msg`Only the pilot`,
};

export const SIMULATED: Scopes = {
  include: msg`With simulated experts`,
  exclude: msg`Without simulated experts`,
  only: msg`Only simulated experts`,
};

/** A file's filters in a few words, one phrase each. */
export function filtersInWords(filters: Partial<ExportFilters>): string {
  const parts: string[] = [];
  const { pilot = "include", simulated = "include" } = filters;
  if (pilot !== "include") parts.push(i18n._(PILOT[pilot]));
  if (simulated !== "include") parts.push(i18n._(SIMULATED[simulated]));
  if (filters.from) {
    const day = calendarDay(filters.from);
    parts.push(t`From ${day}`);
  }
  if (filters.to) {
    const day = calendarDay(filters.to);
    parts.push(t`Up to ${day}`);
  }
  if (filters.revisions === "all") parts.push(t`All versions`);
  if (filters.identified) parts.push(t`With names`);
  return parts.join(" · ") || t`All answers`;
}
