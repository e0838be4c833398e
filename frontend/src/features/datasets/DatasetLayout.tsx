import { NavLink, Outlet, useOutletContext, useParams } from "react-router";
import { useSession } from "~/api/session";
import type { Dataset } from "~/api/types";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { useDataset } from "./calls";
import classes from "./Datasets.module.css";
import { inWords } from "./words";

/** The frame of a dataset's pages: what it is, and the ways to its parts. */
export default function DatasetLayout() {
  const { slug = "" } = useParams();
  const dataset = useDataset(slug);
  const mayImport = useSession().data?.user?.can_import ?? false;
  return (
    <Page
      title={dataset.data?.title || slug}
      parents={[{ to: "/datasets", label: "Datasets" }]}
      simulated={dataset.data?.is_simulated ?? false}
    >
      {dataset.error && (
        <ErrorNotice
          title="The dataset cannot be shown"
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
                  Download the votes (ZIP)
                </Download>
              </>
            )}
          </p>
          <nav aria-label="Parts of the dataset" className={classes.tabs}>
            <NavLink to={`/datasets/${slug}`} end>
              Texts
            </NavLink>
            {dataset.data.labels.length > 0 && (
              <>
                <NavLink to={`/datasets/${slug}/labels`}>Labels</NavLink>
                <NavLink to={`/datasets/${slug}/systems`}>Systems</NavLink>
              </>
            )}
            {mayImport && dataset.data.labels.length > 0 && (
              <NavLink to={`/datasets/${slug}/import`}>Import predictions</NavLink>
            )}
            <NavLink to={`/datasets/${slug}/uses`}>Used by</NavLink>
            <NavLink to={`/datasets/${slug}/analyses`}>Analyses</NavLink>
          </nav>
          <Outlet context={dataset.data} />
        </>
      )}
    </Page>
  );
}

/** The dataset that the frame has loaded. */
export function useLoadedDataset(): Dataset {
  return useOutletContext<Dataset>();
}
