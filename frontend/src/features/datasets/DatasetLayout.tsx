import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { NavLink, Outlet, useOutletContext, useParams } from "react-router";
import { useSession } from "~/api/session";
import type { Dataset } from "~/api/types";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { useDataset } from "./calls";
import classes from "./Datasets.module.css";
import { canBeTrainedOn, inWords } from "./words";

/** The frame of a dataset's pages: what it is, and links to its parts. */
export default function DatasetLayout() {
  const { slug = "" } = useParams();
  const dataset = useDataset(slug);
  const mayImport = useSession().data?.user?.can_import ?? false;
  return (
    <Page
      title={dataset.data?.title || slug}
      parents={[{ to: "/datasets", label: t`Datasets` }]}
      simulated={dataset.data?.is_simulated ?? false}
    >
      {dataset.error && (
        <ErrorNotice
          title={t`The dataset could not be loaded`}
          error={dataset.error}
          onRetry={() => void dataset.refetch()}
        />
      )}
      {dataset.isPending && <Loading />}
      {dataset.data && (
        <>
          <p className="soft">
            {inWords(dataset.data)}
            {dataset.data.votes > 0 && (
              <>
                {" · "}
                <Download href={`/api/v1/datasets/${slug}/votes/csv/`}>
                  <Trans>Download the votes (ZIP)</Trans>
                </Download>
              </>
            )}
          </p>
          <nav aria-label={t`Parts of the dataset`} className={classes.tabs}>
            <NavLink to={`/datasets/${slug}`} end>
              <Trans>Texts</Trans>
            </NavLink>
            {dataset.data.labels.length > 0 && (
              <>
                <NavLink to={`/datasets/${slug}/labels`}>
                  <Trans>Labels</Trans>
                </NavLink>
                <NavLink to={`/datasets/${slug}/systems`}>
                  <Trans>Systems</Trans>
                </NavLink>
              </>
            )}
            {mayImport && dataset.data.labels.length > 0 && (
              <NavLink to={`/datasets/${slug}/import`}>
                <Trans>Import predictions</Trans>
              </NavLink>
            )}
            {mayImport && canBeTrainedOn(dataset.data) && (
              <NavLink to={`/datasets/${slug}/trainings`}>
                <Trans>Train systems</Trans>
              </NavLink>
            )}
            <NavLink to={`/datasets/${slug}/uses`}>
              <Trans>Used by</Trans>
            </NavLink>
            <NavLink to={`/datasets/${slug}/analyses`}>
              <Trans>Analyses</Trans>
            </NavLink>
          </nav>
          <Outlet context={dataset.data} />
        </>
      )}
    </Page>
  );
}

/** The dataset loaded by the frame. */
export function useLoadedDataset(): Dataset {
  return useOutletContext<Dataset>();
}
