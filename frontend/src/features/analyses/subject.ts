/** What analyses are about: one study, one dataset (or its votes), or what is chosen in the form. */
export type Subject =
  | { kind: "study"; slug: string }
  | { kind: "dataset"; slug: string }
  | { kind: "free" };

/** The key under which what was fetched about a subject is kept. */
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

export type Parent = { to: string; label: string };

const HOME: Parent = { to: "/", label: "My studies" };

/** The way up from a subject's analyses. */
export function parentsOf(subject: Subject, title: string): Parent[] {
  if (subject.kind === "study") return [HOME, { to: `/studies/${subject.slug}`, label: title }];
  return [HOME, { to: "/imports", label: "Data" }];
}
