import { Trans, useLingui } from "@lingui/react/macro";
import { useDocumentTitle } from "@mantine/hooks";
import { Suspense } from "react";
import { Link, Outlet, useLocation, useParams } from "react-router";
import type { Study } from "~/api/types";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { State } from "~/components/State";
import { StudyNotHere } from "~/components/StudyNotHere";
import { useStudy } from "../calls";
import { StateButtons } from "../StateButtons";
import classes from "./StudyWorkspace.module.css";
import { Tabs } from "./Tabs";
import { tabAt } from "./workspace";

/** What is common to all of a study's pages: its title, its state, what may happen next, and the tabs. */
export default function StudyWorkspace() {
  const { t } = useLingui();
  const { slug = "" } = useParams();
  const study = useStudy(slug);
  if (study.error && !study.data) {
    return (
      <StudyNotHere
        slug={slug}
        error={study.error}
        onRetry={() => void study.refetch()}
        title={t`Study`}
        problem={t`The study could not be loaded`}
      />
    );
  }
  if (!study.data) return <Loading />;
  // Each study is a separate page, so no tab keeps what was typed into it for another.
  return <Workspace key={slug} study={study.data} />;
}

function Workspace({ study }: { study: Study }) {
  const { t } = useLingui();
  const { pathname } = useLocation();
  const tab = tabAt(pathname, study.slug);
  const name = tab && t(tab.name);
  const { title } = study;
  const own = `${title} · HLV Study`; /* not words */
  useDocumentTitle(name ? t`${name}, ${title} · HLV Study` : own);
  return (
    <Page
      title={title}
      parents={[{ to: "/", label: t`My studies` }]}
      simulated={study.is_simulated}
      aside={<State state={study.state} />}
    >
      <div className={classes.ways}>
        <Tabs study={study} />
        {study.state === "draft" ? (
          <Link to={`/studies/${study.slug}/design/check`}>
            <Trans>Check and open this study</Trans>
          </Link>
        ) : (
          // Actions on the whole study are shown with its overview, not beside every detail.
          (tab?.to === "" || tab?.to === "design") && <StateButtons study={study} />
        )}
      </div>
      <Suspense fallback={<Loading />}>
        <Outlet context={study} />
      </Suspense>
    </Page>
  );
}
