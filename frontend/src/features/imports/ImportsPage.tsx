import { Link } from "react-router";
import { useDatasets } from "~/api/datasets";
import type { Dataset } from "~/api/types";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { Section } from "~/components/Section";
import { SimulatedMark } from "~/components/SimulatedMark";
import { Table } from "~/components/Table";
import { counted, readable } from "~/components/words";
import { ImportForm } from "./ImportForm";
import { RecentImports } from "./RecentImports";

/** Bring data in, and see what is there. */
export default function ImportsPage() {
  const datasets = useDatasets();
  return (
    <Page title="Data">
      <Section title="Import" aside={<Link to="/tokens">API tokens, for scripts</Link>}>
        <p className="soft">
          Every import is checked first. Nothing is stored before you have seen the report, and
          either all of it is stored or nothing.
        </p>
        <ImportForm datasets={datasets.data ?? []} />
      </Section>
      <Section title="Datasets" aside={<Link to="/analyses">Simulations and leaderboards</Link>}>
        {datasets.error && (
          <ErrorNotice
            title="The datasets cannot be listed"
            error={datasets.error}
            onRetry={() => void datasets.refetch()}
          />
        )}
        {datasets.isPending && <Loading />}
        {datasets.data && <DatasetTable datasets={datasets.data} />}
      </Section>
      <RecentImports />
    </Page>
  );
}

function DatasetTable({ datasets }: { datasets: Dataset[] }) {
  return (
    <Table
      caption="Datasets"
      rows={datasets}
      keyOf={(dataset) => dataset.slug}
      empty="There are no datasets yet."
      columns={[
        {
          name: "Dataset",
          heads: true,
          cell: (dataset) => (
            <>
              {dataset.title} {dataset.is_simulated && <SimulatedMark />}
            </>
          ),
        },
        {
          name: "Task",
          cell: (dataset) =>
            dataset.labels.length > 0 ? readable(dataset.task) : "Pairwise votes",
        },
        { name: "Labels", numeric: true, cell: (dataset) => dataset.labels.length },
        {
          name: "Instances",
          numeric: true,
          cell: (dataset) => dataset.instances.toLocaleString("en-GB"),
        },
        {
          name: "Annotations",
          numeric: true,
          cell: (dataset) => dataset.annotations.toLocaleString("en-GB"),
        },
        { name: "Votes", numeric: true, cell: (dataset) => <Votes dataset={dataset} /> },
        { name: "Systems", cell: (dataset) => counted(systemNames(dataset).size, "system") },
        {
          name: "Results",
          cell: (dataset) => (
            <Link
              to={`/datasets/${dataset.slug}/analyses`}
              aria-label={`Analyses of ${dataset.title}`}
            >
              Analyses
            </Link>
          ),
        },
      ]}
    />
  );
}

/** How many votes, by how many people and machines, as a file; nothing where nobody voted. */
function Votes({ dataset }: { dataset: Dataset }) {
  const { slug, votes, judges, machine_judges } = dataset;
  if (votes === 0) return null;
  const people = counted(judges - machine_judges, "person", "people");
  const machines = machine_judges > 0 ? `, ${counted(machine_judges, "machine")}` : "";
  return (
    <>
      {votes.toLocaleString("en-GB")} ({people}
      {machines}){" "}
      <Download href={`/api/v1/datasets/${slug}/votes/csv/`}>Download&nbsp;(ZIP)</Download>
    </>
  );
}

/** Systems that predict distributions, single annotations, or both. */
function systemNames(dataset: Dataset): Set<string> {
  return new Set([...dataset.systems, ...dataset.predicted_annotations].map(({ name }) => name));
}
