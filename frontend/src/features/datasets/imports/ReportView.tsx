import type { ImportJob, ImportReport } from "~/api/types";
import { Table } from "~/components/lists/Table";
import { Note } from "~/components/Note";
import { Facts } from "~/components/Section";
import { counted, readable } from "~/components/words";
import { toneOf, verdict } from "./verdict";

/** What the files hold, and every row that cannot be taken, with what to do about it. */
export function ReportView({ job }: { job: ImportJob }) {
  const { report } = job;
  if (!report) return null;
  const { problems, problem_count, notes } = report;
  const words = verdict(job);
  const shown = problems.length < problem_count ? `; the first ${problems.length} are shown` : "";
  return (
    <>
      {words && (
        <Note live tone={toneOf(job)}>
          {words}
        </Note>
      )}
      {notes.length > 0 && (
        <ul>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <Facts facts={factsOf(report)} />
      {problems.length > 0 && (
        <Table
          caption={`${counted(problem_count, "problem")} to mend${shown}`}
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

/** Only what the reader got to know: a file that cannot be read has no instances to speak of. */
function factsOf(report: ImportReport): [string, string][] {
  const facts: [string, string][] = [
    ["Format", FORMATS[report.format] ?? readable(report.format)],
    ["Task", readable(report.task)],
    ["Instances", report.instances ? report.instances.toLocaleString("en-GB") : ""],
    ["Annotations", report.annotations ? report.annotations.toLocaleString("en-GB") : ""],
    [
      "Votes",
      report.votes
        ? `${report.votes.toLocaleString("en-GB")} by ${counted(report.judges, "judge")}`
        : "",
    ],
    ["Labels", report.labels.join("; ")],
    ["Systems", report.systems.join("; ")],
    ["Stored before, unchanged", report.unchanged.join("; ")],
  ];
  return facts.filter(([, value]) => value !== "");
}

/** Formats whose names are not written like words. */
const FORMATS: Record<string, string> = {
  chaosnli: "ChaosNLI",
  judge_bench: "JUDGE-BENCH",
  lewidi_2023: "LeWiDi 2023",
  lewidi_2025: "LeWiDi 2025",
};
