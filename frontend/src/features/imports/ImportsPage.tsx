import type { Dataset } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { Section } from "~/components/Section";
import { SimulatedMark } from "~/components/SimulatedMark";
import { Table } from "~/components/Table";
import { counted, readable } from "~/components/words";
import { useDatasets } from "./calls";
import { ImportForm } from "./ImportForm";
import { RecentImports } from "./RecentImports";

/** Bring data in, and see what is there. */
export default function ImportsPage() {
  const datasets = useDatasets();
  return (
    <Page title="Data">
      <Section title="Import">
        <p className="soft">
          Every import is checked first. Nothing is stored before you have seen the report, and
          either all of it is stored or nothing.
        </p>
        <ImportForm datasets={datasets.data ?? []} />
      </Section>
      <Section title="Datasets">
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
        { name: "Task", cell: (dataset) => readable(dataset.task) },
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
        { name: "Systems", cell: (dataset) => counted(dataset.systems.length, "system") },
      ]}
    />
  );
}
