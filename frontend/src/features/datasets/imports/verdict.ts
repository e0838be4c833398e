import { t } from "@lingui/core/macro";
import type { ImportJob } from "~/api/types";

/** How a check or an import ended, in one sentence; nothing while it is running or without a report. */
export function verdict({
  state,
  dry_run,
  report,
}: Pick<ImportJob, "state" | "dry_run" | "report">): string {
  if (!report) return "";
  if (report.problem_count > 0) {
    return t`The files cannot be imported as they are. Nothing was saved. The problems to fix are listed below.`;
  }
  if (state !== "succeeded") return "";
  if (dry_run) {
    return report.changed
      ? t`The files are valid. Nothing has been saved yet: import them when you are ready.`
      : t`The files are valid, but everything in them has already been saved.`;
  }
  return report.changed ? t`Imported.` : t`Everything had already been saved. Nothing changed.`;
}

/** A report's tone: refusals, warnings and successes look different. */
export function toneOf({ report }: Pick<ImportJob, "report">): "success" | "warning" | "refusal" {
  if (!report || report.problem_count > 0) return "refusal";
  return report.changed ? "success" : "warning";
}

/** "Check of a dataset", "Import of predictions". */
export function whatInWords({ kind, dry_run }: Pick<ImportJob, "kind" | "dry_run">): string {
  if (kind === "dataset") return dry_run ? t`Check of a dataset` : t`Import of a dataset`;
  return dry_run ? t`Check of predictions` : t`Import of predictions`;
}

/** Whether the last check allows the import: it succeeded and found nothing to fix. */
export function isReady({
  state,
  dry_run,
  report,
}: Pick<ImportJob, "state" | "dry_run" | "report">): boolean {
  return state === "succeeded" && dry_run && report?.problem_count === 0;
}
