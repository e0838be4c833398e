import type { ImportJob } from "~/api/types";
import { Note } from "~/components/Note";
import { Facts } from "~/components/Section";
import { Table } from "~/components/Table";
import { counted, readable } from "~/components/words";

/** What the files hold, and every row that cannot be taken, with what to do about it. */
export function ReportView({ job }: { job: ImportJob }) {
  const { report } = job;
  if (!report) return null;
  const { problems } = report;
  return (
    <>
      {job.state === "succeeded" && <Note live>{verdict(job)}</Note>}
      <Facts
        facts={[
          ["Format", report.format],
          ["Task", readable(report.task)],
          ["Instances", report.instances.toLocaleString("en-GB")],
          ["Annotations", report.annotations.toLocaleString("en-GB")],
          ["Labels", report.labels.join("; ") || "–"],
          ["Systems", report.systems.join("; ") || "–"],
        ]}
      />
      {problems.length > 0 && (
        <Table
          caption={`${counted(problems.length, "problem")} to mend`}
          showCaption
          rows={problems}
          keyOf={(_, index) => index}
          columns={[
            { name: "File", heads: true, cell: (problem) => problem.file },
            { name: "Line", numeric: true, cell: (problem) => problem.line ?? "" },
            { name: "Field", cell: (problem) => problem.field },
            { name: "Found", cell: (problem) => problem.value },
            { name: "What is wrong", cell: (problem) => problem.reason },
            { name: "What to do", cell: (problem) => problem.remedy },
          ]}
        />
      )}
    </>
  );
}

function verdict({ dry_run, report }: ImportJob): string {
  if (!report) return "";
  if (report.problems.length > 0)
    return "The files cannot be imported as they are. Nothing was stored.";
  if (dry_run) {
    return report.changed
      ? "The files are in order. Nothing is stored yet: import them when you are ready."
      : "The files are in order, and everything in them is stored already.";
  }
  return report.changed ? "Imported." : "Everything was stored already; nothing changed.";
}
