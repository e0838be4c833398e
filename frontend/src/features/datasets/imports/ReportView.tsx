import { plural, t } from "@lingui/core/macro";
import type { ImportJob, ImportReport } from "~/api/types";
import { Table } from "~/components/lists/Table";
import { Note } from "~/components/Note";
import { Facts } from "~/components/Section";
import { readable } from "~/components/words";
import { inARow, inDigits } from "~/languages/formats";
import { taskInWords } from "../words";
import { toneOf, verdict } from "./verdict";

/** What the files contain, and every row that cannot be imported, with what to do about it. */
export function ReportView({ job }: { job: ImportJob }) {
  const { report } = job;
  if (!report) return null;
  const { problems, problem_count, notes } = report;
  const words = verdict(job);
  const shown = problems.length;
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
          caption={inARow([
            plural(problem_count, { one: "# problem to fix", other: "# problems to fix" }),
            shown < problem_count &&
              plural(shown, { one: "the first one is shown", other: "the first # are shown" }),
          ])}
          showCaption
          rows={problems}
          keyOf={(_, index) => index}
          columns={[
            { name: t`File`, heads: true, cell: (problem) => problem.file },
            { name: t`Line`, numeric: true, cell: (problem) => problem.line ?? "" },
            { name: t`Field`, cell: (problem) => problem.field },
            { name: t`Value`, cell: (problem) => problem.value },
            { name: t`What is wrong`, cell: (problem) => problem.reason },
            { name: t`What to do`, cell: (problem) => problem.remedy },
          ]}
        />
      )}
    </>
  );
}

/** Only what the reader found out: a file that cannot be read has no known instances. */
function factsOf(report: ImportReport): [string, string][] {
  const facts: [string, string][] = [
    [t`Format`, FORMATS[report.format] ?? readable(report.format)],
    [t`Task`, taskInWords(report.task)],
    [t`Instances`, report.instances ? inDigits(report.instances) : ""],
    [t`Annotations`, report.annotations ? inDigits(report.annotations) : ""],
    [t`Votes`, report.votes ? votesInWords(report.votes, report.judges) : ""],
    [t`Labels`, report.labels.join("; ")],
    [t`Systems`, report.systems.join("; ")],
    [t`Already saved, unchanged`, report.unchanged.join("; ")],
  ];
  return facts.filter(([, value]) => value !== "");
}

function votesInWords(votes: number, judges: number): string {
  const cast = inDigits(votes);
  return plural(judges, { one: `${cast} by # judge`, other: `${cast} by # judges` });
}

/** Formats whose names are not written like words. */
const FORMATS: Record<string, string> = {
  chaosnli: "ChaosNLI",
  judge_bench: "JUDGE-BENCH",
  lewidi_2023: "LeWiDi 2023",
  lewidi_2025: "LeWiDi 2025",
};
