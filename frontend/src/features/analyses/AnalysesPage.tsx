import { Link, useParams } from "react-router";
import { useStudyCard } from "~/api/studies";
import type { RunRow } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { Section } from "~/components/Section";
import { SimulatedMark } from "~/components/SimulatedMark";
import { State } from "~/components/State";
import { Table } from "~/components/Table";
import { moment } from "~/components/words";
import { useAnalyses, useRuns } from "./calls";
import { StartForm } from "./StartForm";

/** Start an analysis of a study, and find the runs there were. */
export default function AnalysesPage() {
  const { slug = "" } = useParams();
  const analyses = useAnalyses();
  const runs = useRuns(slug);
  const study = useStudyCard(slug);
  const parents = [
    { to: "/", label: "My studies" },
    { to: `/studies/${slug}`, label: study?.title ?? "Study" },
  ];
  return (
    <Page title="Analyses" parents={parents} simulated={study?.is_simulated ?? false}>
      <Section title="Start an analysis">
        {analyses.error && (
          <ErrorNotice
            title="The analyses cannot be listed"
            error={analyses.error}
            onRetry={() => void analyses.refetch()}
          />
        )}
        {analyses.isPending && <Loading />}
        {analyses.data && <StartForm slug={slug} analyses={analyses.data} />}
      </Section>
      <Section title="Runs">
        {runs.error && (
          <ErrorNotice
            title="The runs cannot be listed"
            error={runs.error}
            onRetry={() => void runs.refetch()}
          />
        )}
        {runs.data && <RunTable runs={runs.data} titleOf={titles(analyses.data ?? [])} />}
      </Section>
    </Page>
  );
}

function RunTable({ runs, titleOf }: { runs: RunRow[]; titleOf: (name: string) => string }) {
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
        { name: "State", cell: (run) => <State state={run.state} /> },
        { name: "Seed", numeric: true, cell: (run) => run.seed },
        { name: "Started", numeric: true, cell: (run) => moment(run.created_at) },
        { name: "Data", cell: (run) => run.is_simulated && <SimulatedMark /> },
      ]}
    />
  );
}

function titles(analyses: { name: string; title: string }[]): (name: string) => string {
  const known = new Map(analyses.map((analysis) => [analysis.name, analysis.title]));
  return (name) => known.get(name) ?? name;
}
