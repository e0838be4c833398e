import type { ExportFilters } from "./calls";

export const EVERYTHING: ExportFilters = {
  pilot: "include",
  simulated: "include",
  from: null,
  to: null,
  revisions: "last",
  identified: false,
};

/** What of the filters a format follows; the others are as if they had not been set. */
export function followed(filters: ExportFilters, known: readonly string[]): ExportFilters {
  const kept = Object.entries(filters).filter(([name]) => known.includes(name));
  return { ...EVERYTHING, ...Object.fromEntries(kept) };
}

const SCOPES: Record<string, string> = { exclude: "without", only: "only" };

/** The filters of a file in a few words. */
export function filtersInWords(filters: Partial<ExportFilters>): string {
  const parts: string[] = [];
  const pilot = SCOPES[filters.pilot ?? ""];
  if (pilot) parts.push(`${pilot} the pilot`);
  const simulated = SCOPES[filters.simulated ?? ""];
  if (simulated) parts.push(`${simulated} simulated experts`);
  if (filters.from) parts.push(`from ${filters.from}`);
  if (filters.to) parts.push(`to ${filters.to}`);
  if (filters.revisions === "all") parts.push("all revisions");
  if (filters.identified) parts.push("with names");
  const words = parts.join(", ");
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : "All answers";
}
