import { Link, useParams } from "react-router";
import { useDatasets } from "~/api/datasets";
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
import { useAnalyses, usePossibleAnalyses, useRuns } from "./calls";
import { StartForm } from "./StartForm";
import { parentsOf, type Subject } from "./subject";

/** The analyses of a study. */
export function StudyAnalysesPage() {
  const { slug = "" } = useParams();
  const study = useStudyCard(slug);
  return (
    <AnalysesPage
      subject={{ kind: "study", slug }}
      name={study?.title ?? "Study"}
      simulated={study?.is_simulated ?? false}
    />
  );
}

/** The analyses of a dataset, or of the votes in it. */
export function DatasetAnalysesPage() {
  const { slug = "" } = useParams();
  const dataset = useDatasets().data?.find((one) => one.slug === slug);
  return (
    <AnalysesPage
      subject={{ kind: "dataset", slug }}
      name={dataset?.title ?? slug}
      simulated={dataset?.is_simulated ?? false}
    />
  );
}

/** Analyses of several datasets, and simulations. */
export function FreeAnalysesPage() {
  return <AnalysesPage subject={{ kind: "free" }} name="" simulated={false} />;
}

type Props = { subject: Subject; name: string; simulated: boolean };

/** Start an analysis, and find the runs there were. */
function AnalysesPage({ subject, name, simulated }: Props) {
  const analyses = usePossibleAnalyses(subject);
  const runs = useRuns(subject);
  const titleOf = useTitles();
  const title = subject.kind === "dataset" && name ? `Analyses of ${name}` : "Analyses";
  return (
    <Page title={title} parents={parentsOf(subject, name)} simulated={simulated}>
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
    </Page>
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
