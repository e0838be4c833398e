import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "react-router";
import { useDatasets } from "~/api/datasets";
import { useSession } from "~/api/session";
import type { Dataset } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Page } from "~/components/Page";
import { SimulatedMark } from "~/components/SimulatedMark";
import { inWords } from "./words";

/** The datasets I may see, each with what it is and how it is used. */
export default function DatasetsPage() {
  const datasets = useDatasets();
  const mayImport = useSession().data?.user?.can_import ?? false;
  return (
    <Page
      title={t`Datasets`}
      aside={
        mayImport && (
          <Link to="/imports">
            <Trans>Import a dataset or predictions</Trans>
          </Link>
        )
      }
    >
      {datasets.error && (
        <ErrorNotice
          title={t`The datasets could not be loaded`}
          error={datasets.error}
          onRetry={() => void datasets.refetch()}
        />
      )}
      {datasets.isPending && <Loading />}
      {datasets.data && (
        <Table
          caption={t`Datasets`}
          rows={datasets.data}
          keyOf={(dataset) => dataset.slug}
          empty={t`There are no datasets yet. Import one to begin.`}
          columns={[
            { name: t`Dataset`, heads: true, cell: (dataset) => <Name dataset={dataset} /> },
            { name: t`Contents`, cell: inWords },
            {
              name: t`Used by`,
              cell: ({ studies }) =>
                studies > 0 ? plural(studies, { one: "# study", other: "# studies" }) : "–",
            },
            {
              name: t`Results`,
              cell: (dataset) => (
                <Link
                  to={`/datasets/${dataset.slug}/analyses`}
                  aria-label={t`Analyses of ${dataset.title}`}
                >
                  <Trans>Analyses</Trans>
                </Link>
              ),
            },
          ]}
        />
      )}
      <p>
        <Link to="/analyses">
          <Trans>Simulations and leaderboards over several datasets</Trans>
        </Link>
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
