import { t } from "@lingui/core/macro";
/** What analyses are about: one study, one dataset (or its votes), or whatever is chosen in the form. */
export type Subject =
  | { kind: "study"; slug: string }
  | { kind: "dataset"; slug: string }
  | { kind: "free" };

/** The cache key for what was fetched about a subject. */
export function keyOf(subject: Subject): string[] {
  return subject.kind === "free" ? ["free"] : [subject.kind, subject.slug];
}

/** The page with the analyses of a subject. */
export function pageOf(subject: Subject): string {
  if (subject.kind === "free") return "/analyses";
  return subject.kind === "study"
    ? `/studies/${subject.slug}/results`
    : `/datasets/${subject.slug}/analyses`;
}

/** What a run is about. */
export function subjectOf(run: { study: string | null; dataset: string | null }): Subject {
  if (run.study) return { kind: "study", slug: run.study };
  return run.dataset ? { kind: "dataset", slug: run.dataset } : { kind: "free" };
}

type Addressed = { id: string; study?: string | null; analysis: string; number: number | null };

/** The page of a run; for a study's run, an address that can be read out. */
export function addressOf(run: Addressed): string {
  return run.study && run.number
    ? `/studies/${run.study}/results/${run.analysis}/${run.number}`
    : `/runs/${run.id}`;
}

/** The page with two runs of one question side by side; by their numbers, if they belong to a study. */
export function addressOfComparison(first: Addressed, second: Addressed): string {
  return second.study && second.number && first.number
    ? `${addressOf(second)}/compare/${first.number}`
    : `/runs/${first.id}/compare/${second.id}`;
}

/** Who can open a run's page, in words for where its address is copied. */
export function readersOf(subject: Subject): string {
  if (subject.kind === "study")
    return t`Researchers and admins of this study can open it. For everyone else, the page does not exist.`;
  if (subject.kind === "dataset")
    return t`Anyone who can see this dataset can open it. For everyone else, the page does not exist.`;
  return t`Anyone who can see all of its datasets can open it. A simulation can only be opened by the person who started it.`;
}

export type Parent = { to: string; label: string };

const home = (): Parent => ({ to: "/", label: t`My studies` });

/** The breadcrumbs of a subject's analyses. */
export function parentsOf(subject: Subject, title: string): Parent[] {
  if (subject.kind === "study") return [home(), { to: `/studies/${subject.slug}`, label: title }];
  return [home(), { to: "/imports", label: t`Data` }];
}

/** The breadcrumbs of a run. */
export function parentsOfRun(run: {
  study: string | null;
  dataset: string | null;
  about: string;
}): Parent[] {
  const subject = subjectOf(run);
  const labels = { study: t`Results`, dataset: t`Analyses of ${run.about}`, free: t`Analyses` };
  return [...parentsOf(subject, run.about), { to: pageOf(subject), label: labels[subject.kind] }];
}
