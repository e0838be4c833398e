import { Link } from "react-router";
import type { RunRow } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Section } from "~/components/Section";
import { SimulatedMark } from "~/components/SimulatedMark";
import { State } from "~/components/State";
import { Table } from "~/components/Table";
import { moment } from "~/components/words";
import { useAnalyses, usePossibleAnalyses, useRuns } from "./calls";
import { StartForm } from "./StartForm";
import type { Subject } from "./subject";

/** Start an analysis, and find the runs there were. */
export function Analyses({ subject }: { subject: Subject }) {
  const analyses = usePossibleAnalyses(subject);
  const runs = useRuns(subject);
  const titleOf = useTitles();
  return (
    <>
      <Section title="Start an analysis">
        {analyses.error && (
          <ErrorNotice
            title="The analyses cannot be listed"
            error={analyses.error}
            onRetry={() => void analyses.refetch()}
          />
        )}
        {analyses.isPending && <Loading />}
        {analyses.data && <StartForm subject={subject} analyses={analyses.data} />}
      </Section>
      <Section title="Runs">
        {runs.error && (
          <ErrorNotice
            title="The runs cannot be listed"
            error={runs.error}
            onRetry={() => void runs.refetch()}
          />
        )}
        {runs.data && (
          <RunTable runs={runs.data} titleOf={titleOf} about={subject.kind === "free"} />
        )}
      </Section>
    </>
  );
}

type TableProps = { runs: RunRow[]; titleOf: (name: string) => string; about: boolean };

function RunTable({ runs, titleOf, about }: TableProps) {
  return (
    <Table
      caption="Runs, newest first"
      rows={runs}
      keyOf={(run) => run.id}
      empty="No analysis has been started yet."
      columns={[
        {
          name: "Analysis",
          heads: true,
          cell: (run) => <Link to={`/runs/${run.id}`}>{titleOf(run.analysis)}</Link>,
        },
        ...(about ? [{ name: "About", cell: (run: RunRow) => run.about }] : []),
        { name: "State", cell: (run) => <State state={run.state} /> },
        { name: "Seed", numeric: true, cell: (run) => run.seed },
        { name: "Started", numeric: true, cell: (run) => moment(run.created_at) },
        { name: "Data", cell: (run) => run.is_simulated && <SimulatedMark /> },
      ]}
    />
  );
}

function useTitles(): (name: string) => string {
  const analyses = useAnalyses().data ?? [];
  const known = new Map(analyses.map((analysis) => [analysis.name, analysis.title]));
  return (name) => known.get(name) ?? name;
}
