import { api, ok } from "~/api/client";
import type { ImportJob } from "~/api/types";

export type Kind = "dataset" | "predictions";

export type ImportRequest = {
  files: File[];
  kind: Kind;
  format: string;
  dataset: string;
  title: string;
  labelNames: string;
  options: Record<string, unknown>;
  dryRun: boolean;
  replace: boolean;
};

/** Sends the files as a browser's form would; returns the job that processes them. */
export function sendImport(request: ImportRequest): Promise<ImportJob> {
  const form = new FormData();
  for (const file of request.files) form.append("files", file, file.name);
  form.append("kind", request.kind);
  form.append("format", request.format);
  form.append("dataset", request.dataset);
  form.append("title", request.title);
  form.append("label_names", request.labelNames);
  form.append("options", JSON.stringify(request.options));
  form.append("dry_run", String(request.dryRun));
  form.append("replace", String(request.replace));
  // The schema only describes files as texts; what is really sent is the form.
  return ok(api.POST("/api/v1/imports/", { body: form as never, bodySerializer: () => form }));
}
