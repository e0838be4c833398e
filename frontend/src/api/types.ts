// Names for the shapes that the pages use, taken from the server's own schema.
import type { paths } from "~/api/schema";

type Json<R> = R extends { content: { "application/json": infer J } } ? J : never;
type Success<O> = O extends { responses: infer R }
  ? Json<R[Extract<keyof R, 200 | 201 | 202>]>
  : never;
type Get<P extends keyof paths> = paths[P] extends { get: infer O } ? Success<O> : never;
type Post<P extends keyof paths> = paths[P] extends { post: infer O } ? Success<O> : never;

export type Session = Get<"/api/v1/session/">;
export type User = NonNullable<Session["user"]>;
export type StudyCard = Get<"/api/v1/studies/">["results"][number];
export type OfferedRole = Get<"/api/v1/roles/offered/">["results"][number];
export type FormerStudy = Get<"/api/v1/former-studies/">["results"][number];

export type Invited = Post<"/api/v1/invitations/look/">;
export type Arrived = Post<"/api/v1/invitations/accept/">;
export type Invitation = Get<"/api/v1/studies/{slug}/invitations/">["results"][number];
export type Issued = Post<"/api/v1/studies/{slug}/invitations/">[number];
export type Report = Get<"/api/v1/studies/{slug}/reports/">["results"][number];

export type Task = Post<"/api/v1/studies/{slug}/next/">;
export type OwnProfile = Get<"/api/v1/studies/{slug}/profile/">;
export type Member = Get<"/api/v1/studies/{slug}/members/">["results"][number];
export type Retained = Get<"/api/v1/studies/{slug}/retention/">;
export type Assignment = NonNullable<Task["assignment"]>;
export type Label = Task["study"]["labels"][number];
export type Bar = NonNullable<Assignment["comparison"]>["a"][number];
export type Progress = Task["progress"];
export type OwnAnswer = Get<"/api/v1/studies/{slug}/answers/">["results"][number];
export type LookedBack = Get<"/api/v1/assignments/{token}/answer/">;
export type LabelsTaken = Post<"/api/v1/assignments/{token}/labels/">;
export type Taken = Post<"/api/v1/assignments/{token}/preference/">;
/** What comes after an assignment, as responses to answers carry it. */
export type Next = LabelsTaken["next"];
export type Saved = Post<"/api/v1/assignments/{token}/correction/">;

export type Study = Get<"/api/v1/studies/{slug}/">;
/** What can be set while a study is a draft. */
export type Settings = Omit<
  NonNullable<
    paths["/api/v1/studies/{slug}/"]["patch"]["requestBody"]
  >["content"]["application/json"],
  "version"
>;
export type Plan = Get<"/api/v1/studies/{slug}/plan/">;
export type StudyOverview = Get<"/api/v1/studies/{slug}/overview/">;
export type StudyEvent = Get<"/api/v1/studies/{slug}/events/">["results"][number];

export type Analysis = Get<"/api/v1/analyses/">["results"][number];
export type RunRow = Get<"/api/v1/studies/{slug}/runs/">["results"][number];
export type Run = Get<"/api/v1/runs/{id}/">;
export type RunComparison = Get<"/api/v1/runs/{id}/comparison/{other}/">;
export type Result = NonNullable<Run["result"]>;
export type StudyDocument = Get<"/api/v1/studies/{slug}/documents/">["results"][number];
export type AnalysisPlan = Get<"/api/v1/studies/{slug}/analysis-plan/">;
export type PlannedAnalysis = Pick<
  AnalysisPlan["planned"][number],
  "analysis" | "parameters" | "seed" | "note"
>;

export type Account = Get<"/api/v1/account/">;
export type ApiToken = Get<"/api/v1/tokens/">["results"][number];

export type Dataset = Get<"/api/v1/datasets/">["results"][number];
export type DatasetLabel = Dataset["label_set"][number];
export type InstanceRow = Get<"/api/v1/datasets/{slug}/instances/">["results"][number];
export type TrainingForm = Get<"/api/v1/datasets/{slug}/trainings/form/">;
export type TrainingRow = Get<"/api/v1/datasets/{slug}/trainings/">["results"][number];
export type Training = Get<"/api/v1/trainings/{id}/">;
export type ImportFormat = Get<"/api/v1/import-formats/">["results"][number];
export type ImportJob = Get<"/api/v1/imports/{id}/">;
export type ImportReport = NonNullable<ImportJob["report"]>;
