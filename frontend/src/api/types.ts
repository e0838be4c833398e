// Names for the shapes that the pages talk about, taken from the server's own schema.
import type { paths } from "./schema";

type Json<R> = R extends { content: { "application/json": infer J } } ? J : never;
type Success<O> = O extends { responses: infer R }
  ? Json<R[Extract<keyof R, 200 | 201 | 202>]>
  : never;
type Get<P extends keyof paths> = paths[P] extends { get: infer O } ? Success<O> : never;
type Post<P extends keyof paths> = paths[P] extends { post: infer O } ? Success<O> : never;

export type Session = Get<"/api/session/">;
export type User = NonNullable<Session["user"]>;
export type StudyCard = Get<"/api/studies/">[number];

export type Invited = Post<"/api/invitations/look/">;
export type Arrived = Post<"/api/invitations/accept/">;
export type Invitation = Get<"/api/studies/{slug}/invitations/">[number];
export type Issued = Post<"/api/studies/{slug}/invitations/">[number];
export type Report = Get<"/api/studies/{slug}/reports/">["results"][number];

export type Task = Post<"/api/studies/{slug}/next/">;
export type Assignment = NonNullable<Task["assignment"]>;
export type Label = Task["study"]["labels"][number];
export type Bar = NonNullable<Assignment["comparison"]>["a"][number];
export type Progress = Task["progress"];
export type Saved = Post<"/api/assignments/{token}/preference/">;

export type Study = Get<"/api/studies/{slug}/">;
export type Plan = Get<"/api/studies/{slug}/plan/">;
export type StudyEvent = Get<"/api/studies/{slug}/events/">["results"][number];

export type Analysis = Get<"/api/analyses/">[number];
export type RunRow = Get<"/api/studies/{slug}/runs/">[number];
export type Run = Get<"/api/runs/{id}/">;
export type Result = NonNullable<Run["result"]>;
export type StudyDocument = Get<"/api/studies/{slug}/documents/">[number];
export type AnalysisPlan = Get<"/api/studies/{slug}/analysis-plan/">;
export type PlannedAnalysis = Pick<
  AnalysisPlan["planned"][number],
  "analysis" | "parameters" | "seed" | "note"
>;

export type ApiToken = Get<"/api/tokens/">[number];

export type Dataset = Get<"/api/datasets/">[number];
export type ImportFormat = Get<"/api/import-formats/">[number];
export type ImportJob = Get<"/api/imports/{id}/">;
export type ImportReport = NonNullable<ImportJob["report"]>;
