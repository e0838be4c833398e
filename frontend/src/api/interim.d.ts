// INTERIM: written by hand from the agreed shapes; `npm run types` replaces it with the server's own schema.
type Body<T> = { content: { "application/json": T } };
type Op<R, P = object, B = never> = {
  parameters: { query?: Record<string, unknown>; path?: P };
  requestBody?: Body<B>;
  responses: { 200: Body<R> };
};
type Slug = { slug: string };
type Id = { id: string };
export interface Label {
  position: number;
  name: string;
  exclusive: boolean;
}
export interface Bar {
  label: string;
  value: number;
}
export interface Progress {
  done: number;
  total: number;
  minutes_left: number | null;
}
export interface JobProgress {
  done: number;
  total: number;
  message: string;
}
export interface Member {
  number: number;
  name: string;
  role: string;
  is_simulated: boolean;
  claimed: number;
  completed: number;
}
export interface Task {
  study: {
    slug: string;
    title: string;
    instructions_html: string;
    task: "multilabel" | "multiclass" | "ordinal";
    question_labels: string;
    question_preference: string;
    language: string;
    direction: "ltr" | "rtl";
    labels: Label[];
  };
  progress: Progress;
  saved_at: string | null;
  assignment: null | {
    token: string;
    step: number;
    direction: "ltr" | "rtl";
    language: string;
    segments: { name: string; text: string }[];
    selected: number[] | null;
    comparison: null | { a: Bar[]; b: Bar[] };
  };
  finished: "" | "all_done" | "nothing_available" | "paused" | "closed";
}
export interface Saved {
  saved_at: string;
  progress: Progress;
}
export interface Session {
  user: null | { email: string; name: string; can_import: boolean; is_admin: boolean };
  version: string;
}
export interface StudyCard {
  slug: string;
  title: string;
  role: "expert" | "researcher" | "admin";
  state: string;
  is_simulated: boolean;
  progress: { done: number; total: number };
}
export interface Study {
  slug: string;
  title: string;
  role?: string;
  instructions: string;
  question_labels: string;
  question_preference: string;
  compares: string;
  display_threshold: number;
  display_step: number;
  instances_per_system: number;
  experts_per_comparison: number;
  seed: number;
  assigning: string;
  state: string;
  dataset: { slug: string; title: string; task: string; labels: string[] };
  systems: string[];
  is_simulated: boolean;
  counts: {
    comparisons: number;
    places: number;
    claimed: number;
    completed: number;
    experts: number;
  };
  members: Member[];
}
export interface Plan {
  systems: { name: string; instances: number; places: number; completed: number }[];
  experts: { number: number; assigned: number; completed: number }[];
  instances: number;
  matrix: {
    rows: { system: string; cells: { instance: number; places: number; completed: number }[] }[];
  };
  missing_experts: number;
  statement: string;
}
export interface EventRow {
  id: number;
  at: string;
  actor: string;
  action: string;
  details: Record<string, unknown>;
}
export interface ExportFormat {
  name: string;
  title: string;
  description: string;
}
export interface Analysis {
  name: string;
  title: string;
  description: string;
  parameters: Record<string, unknown>;
  figures: string[];
}
export interface Run {
  id: string;
  analysis: string;
  parameters: Record<string, unknown>;
  seed: number;
  state: string;
  progress: JobProgress;
  error: string;
  error_detail?: string;
  is_simulated: boolean;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  result?: Record<string, unknown> | null;
  figures: string[];
  worker_alive: boolean;
  study?: string;
}
export interface ImportFormat {
  name: string;
  title: string;
  kind: "dataset" | "predictions";
  description: string;
  options: Record<string, unknown>;
}
export interface Problem {
  file: string;
  line: number | null;
  field: string;
  value: string;
  reason: string;
  remedy: string;
}
export interface ImportReport {
  format: string;
  task: string;
  labels: string[];
  instances: number;
  annotations: number;
  systems: string[];
  problems: Problem[];
  changed: boolean;
}
export interface ImportJob {
  id: string;
  state: string;
  progress: JobProgress;
  error: string;
  report: ImportReport | null;
  dry_run: boolean;
  created_at: string;
  finished_at: string | null;
  kind?: string;
  dataset?: string;
}
export interface Dataset {
  slug: string;
  title: string;
  task: string;
  labels: string[];
  instances: number;
  annotations: number;
  systems: { name: string }[];
  is_simulated: boolean;
  fingerprint: string;
}
export interface paths {
  "/api/session/": {
    get: Op<Session>;
    post: Op<Session, object, { email: string; password: string }>;
    delete: Op<never>;
  };
  "/api/studies/": { get: Op<StudyCard[]> };
  "/api/studies/{slug}/": { get: Op<Study, Slug> };
  "/api/studies/{slug}/plan/": { get: Op<Plan, Slug> };
  "/api/studies/{slug}/transition/": { post: Op<Study, Slug, { to: string }> };
  "/api/studies/{slug}/events/": {
    get: Op<
      { count: number; next: string | null; previous: string | null; results: EventRow[] },
      Slug
    >;
  };
  "/api/studies/{slug}/exports/": { get: Op<ExportFormat[], Slug> };
  "/api/studies/{slug}/next/": { post: Op<Task, Slug> };
  "/api/assignments/{token}/labels/": {
    post: Op<Task, { token: string }, { key: string; labels: number[]; active_ms: number }>;
  };
  "/api/assignments/{token}/preference/": {
    post: Op<
      Saved,
      { token: string },
      { key: string; a_chosen: boolean; b_chosen: boolean; certainty: number; active_ms: number }
    >;
  };
  "/api/assignments/{token}/report/": {
    post: Op<
      Saved,
      { token: string },
      { key: string; reason: string; text: string; skip: boolean }
    >;
  };
  "/api/datasets/": { get: Op<Dataset[]> };
  "/api/import-formats/": { get: Op<ImportFormat[]> };
  "/api/imports/": { get: Op<ImportJob[]>; post: Op<ImportJob, object, FormData> };
  "/api/imports/{id}/": { get: Op<ImportJob, Id> };
  "/api/imports/{id}/cancel/": { post: Op<ImportJob, Id> };
  "/api/analyses/": { get: Op<Analysis[]> };
  "/api/studies/{slug}/runs/": {
    get: Op<Run[], Slug>;
    post: Op<
      Run,
      Slug,
      { analysis: string; parameters: Record<string, unknown>; seed: number | null }
    >;
  };
  "/api/runs/{id}/": { get: Op<Run, Id> };
  "/api/runs/{id}/cancel/": { post: Op<Run, Id> };
  "/api/runs/{id}/retry/": { post: Op<Run, Id> };
  "/api/runs/{id}/figures/{name}/": {
    get: Op<Record<string, unknown>, { id: string; name: string }>;
  };
}
