import type { ImportJob } from "~/api/types";

/** How a check or an import ended, in one sentence; nothing while it works or when there is no report. */
export function verdict({
  state,
  dry_run,
  report,
}: Pick<ImportJob, "state" | "dry_run" | "report">): string {
  if (!report) return "";
  if (report.problem_count > 0) {
    return "The files cannot be imported as they are. Nothing was stored. Below is everything to mend.";
  }
  if (state !== "succeeded") return "";
  if (dry_run) {
    return report.changed
      ? "The files are in order. Nothing is stored yet: import them when you are ready."
      : "The files are in order, and everything in them is stored already.";
  }
  return report.changed ? "Imported." : "Everything was stored already; nothing changed.";
}

/** How a report is to be taken: what was refused, what asks for a second look, and what went well look different. */
export function toneOf({ report }: Pick<ImportJob, "report">): "success" | "warning" | "refusal" {
  if (!report || report.problem_count > 0) return "refusal";
  return report.changed ? "success" : "warning";
}

/** "Check of a dataset", "Import of predictions". */
export function whatInWords({ kind, dry_run }: Pick<ImportJob, "kind" | "dry_run">): string {
  const what = kind === "dataset" ? "a dataset" : "predictions";
  return `${dry_run ? "Check" : "Import"} of ${what}`;
}

/** Whether the last check allows the import: it ended well and found nothing to mend. */
export function isReady({
  state,
  dry_run,
  report,
}: Pick<ImportJob, "state" | "dry_run" | "report">): boolean {
  return state === "succeeded" && dry_run && report?.problem_count === 0;
}
