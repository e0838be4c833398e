import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Suspense } from "react";
import { Link, Navigate, useLocation } from "react-router";
import { useSession } from "~/api/session";
import { useFormerStudies, useStudies } from "~/api/studies";
import type { StudyCard } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { FormerStudy } from "~/components/FormerStudy";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { SimulatedMark } from "~/components/SimulatedMark";
import { stateInWords } from "~/components/words";
import { doneOf } from "~/languages/formats";
import { forResearchers } from "~/languages/researchers";
import classes from "./HomePage.module.css";
import { OfferedRoles, useOfferedRoles } from "./OfferedRoles";

// Only people who run studies need it, so experts do not have to load it.
const FirstSteps = forResearchers(() => import("./FirstSteps"));
const ArchivedStudies = forResearchers(() => import("./ArchivedStudies"));

/** My studies: for experts, links to the next text; for others, links to the overview. */
export default function HomePage() {
  const studies = useStudies();
  const formerStudies = useFormerStudies();
  const former = formerStudies.data ?? [];
  const user = useSession().data?.user;
  const begins = user && (user.can_import || user.can_create_studies || user.is_admin);
  const { key, state } = useLocation();
  const hasArrived = key === "default" || (state as { arrived?: boolean } | null)?.arrived === true;
  const [only, ...others] = studies.data ?? [];
  const offered = useOfferedRoles();
  const roles = offered.data ?? [];
  if (hasArrived && (studies.isPending || offered.isPending)) return <Loading />;
  // An expert in a single study who has just signed in is sent on to it; someone who returns to this page wants to see
  // it.
  if (hasArrived && only?.role === "expert" && others.length === 0 && roles.length === 0) {
    return <Navigate to={`/studies/${only.slug}/annotate`} replace />;
  }
  return (
    <Page
      title={t`My studies`}
      aside={
        user?.can_create_studies &&
        only && (
          <Link to="/studies/new">
            <Trans>Start a study</Trans>
          </Link>
        )
      }
    >
      {studies.error && (
        <ErrorNotice
          title={t`Your studies cannot be shown`}
          error={studies.error}
          onRetry={() => void studies.refetch()}
        />
      )}
      {roles.length > 0 && <OfferedRoles roles={roles} />}
      {studies.isPending && <Loading />}
      {studies.data?.length === 0 && roles.length === 0 && begins && (
        <Suspense fallback={<Loading />}>
          <FirstSteps user={user} />
        </Suspense>
      )}
      {studies.data?.length === 0 &&
        roles.length === 0 &&
        !begins &&
        !formerStudies.isPending &&
        former.length === 0 && (
          <p>
            <Trans>
              You are not part of a study yet. The person who invited you can add you to one.
            </Trans>
          </p>
        )}
      {studies.data && studies.data.length > 0 && (
        <ul className={classes.studies}>
          {studies.data.map((study) => (
            <StudyRow key={`${study.slug}-${study.role}`} study={study} />
          ))}
        </ul>
      )}
      {studies.data && former.length > 0 && (
        <section aria-labelledby="former" className={classes.former}>
          <h2 id="former">
            <Trans>Studies that you are no longer part of</Trans>
          </h2>
          <ul className={classes.studies}>
            {former.map((study) => (
              <li key={study.slug} className={classes.ended}>
                <h3>
                  <bdi>{study.title}</bdi>
                </h3>
                <FormerStudy study={study} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {studies.data && (begins || studies.data.some(({ role }) => role !== "expert")) && (
        <Suspense fallback={null}>
          <ArchivedStudies />
        </Suspense>
      )}
    </Page>
  );
}

function StudyRow({ study }: { study: StudyCard }) {
  const { done, total } = study.progress;
  const isExpert = study.role === "expert";
  const to = isExpert ? `/studies/${study.slug}/annotate` : `/studies/${study.slug}`;
  const share = total > 0 ? (100 * done) / total : 0;
  return (
    <li className={classes.study}>
      <div>
        <h2>
          <Link to={to}>{study.title}</Link>
        </h2>
        <p className="soft small">
          {isExpert
            ? expertLine(study)
            : `${roleInWords(study.role)} · ${stateInWords(study.state)}`}
        </p>
        {study.is_simulated && !isExpert && <SimulatedMark />}
      </div>
      <div className={classes.progress}>
        <span className="small numbers">{doneOf(study.progress)}</span>
        <span className={classes.bar} aria-hidden="true">
          <i style={{ inlineSize: `${share}%` }} />
        </span>
      </div>
      <Link to={to} className={classes.go} aria-label={`${doWhat(study)}: ${study.title}`}>
        {doWhat(study)}
      </Link>
    </li>
  );
}

function roleInWords(role: string): string {
  return role === "admin" ? t`You run this study` : t`You are a researcher in this study`;
}

function doWhat({ role, progress, state }: StudyCard): string {
  // Not "Open", which is what an admin does to a study for its experts.
  if (
    role !== "expert" ||
    state === "closed" ||
    (progress.total > 0 && progress.done >= progress.total)
  )
    return t({ message: "View", context: "button" });
  return progress.done > 0
    ? t({ message: "Continue", context: "button" })
    : t({ message: "Begin", context: "button" });
}

function expertLine({ progress, state }: StudyCard): string {
  if (state === "paused") return t`Paused by the organisers`;
  if (state === "closed") return t`Closed. Thank you for taking part.`;
  if (progress.total > 0 && progress.done >= progress.total) return t`All done. Thank you.`;
  return progress.done > 0 ? t`You can continue where you stopped` : t`Ready to begin`;
}
