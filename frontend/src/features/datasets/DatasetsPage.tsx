import { Link } from "react-router";
import { useDatasets } from "~/api/datasets";
import { useSession } from "~/api/session";
import type { Dataset } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Page } from "~/components/Page";
import { SimulatedMark } from "~/components/SimulatedMark";
import { counted } from "~/components/words";
import { inWords } from "./words";

/** The datasets that I may see, each with what it is and how much it is used. */
export default function DatasetsPage() {
  const datasets = useDatasets();
  const mayImport = useSession().data?.user?.can_import ?? false;
  return (
    <Page
      title="Datasets"
      aside={mayImport && <Link to="/imports">Import a dataset or predictions</Link>}
    >
      {datasets.error && (
        <ErrorNotice
          title="The datasets cannot be listed"
          error={datasets.error}
          onRetry={() => void datasets.refetch()}
        />
      )}
      {datasets.isPending && <Loading />}
      {datasets.data && (
        <Table
          caption="Datasets"
          rows={datasets.data}
          keyOf={(dataset) => dataset.slug}
          empty="There are no datasets yet. Import one to begin."
          columns={[
            { name: "Dataset", heads: true, cell: (dataset) => <Name dataset={dataset} /> },
            { name: "What it holds", cell: inWords },
            {
              name: "Used by",
              cell: ({ studies }) => (studies > 0 ? counted(studies, "study", "studies") : "–"),
            },
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
      )}
      <p>
        <Link to="/analyses">Simulations and leaderboards over several datasets</Link>
      </p>
    </Page>
  );
}

function Name({ dataset }: { dataset: Dataset }) {
  return (
    <>
      <Link to={`/datasets/${dataset.slug}`}>{dataset.title || dataset.slug}</Link>{" "}
      {dataset.is_simulated && <SimulatedMark />}
    </>
  );
}
