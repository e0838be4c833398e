import { plural, t as say } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "react-router";
import type { StudyOverview } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Progress } from "~/components/Progress";
import { Facts, Section } from "~/components/Section";
import { inARow, inDigits, percent } from "~/languages/formats";
import { TABS, useWorkspaceStudy } from "../workspace/workspace";
import { useOverview } from "./calls";
import { DayBars } from "./DayBars";
import { ExpertTable } from "./ExpertTable";
import classes from "./Overview.module.css";
import { headline, minutes, pace } from "./words";

/** How the study is doing while it runs. It does not show which system is winning. */
export default function OverviewTab() {
  const { t } = useLingui();
  const { slug, state } = useWorkspaceStudy();
  const overview = useOverview(slug);
  if (!overview.data) {
    if (!overview.error) return <Loading />;
    return (
      <ErrorNotice
        title={t`The overview could not be loaded`}
        error={overview.error}
        onRetry={() => void overview.refetch()}
      />
    );
  }
  return <Whole slug={slug} closed={state === "closed"} overview={overview.data} />;
}

type Props = { slug: string; closed: boolean; overview: StudyOverview };

function Whole({ slug, closed, overview }: Props) {
  const { t } = useLingui();
  const { done, total, habits, needs } = overview;
  return (
    <>
      <Section title={t`Progress`}>
        <p className={classes.headline}>{headline(overview)}</p>
        {total > 0 && <Progress label={t`Answers collected`} done={done} total={total} />}
        <Facts facts={facts(overview)} />
      </Section>
      {needs.length > 0 && (
        <Section title={t`Needs your attention`}>
          <ul className={classes.needs}>
            {needs.map(({ kind, sentence, tab }) => {
              const there = TABS.find(({ to }) => tab && to === tab);
              const name = there && t(there.name);
              return (
                <li key={`${kind} ${tab}`}>
                  {sentence}
                  {name && <Link to={`/studies/${slug}/${tab}`}>{t`Go to ${name}`}</Link>}
                </li>
              );
            })}
          </ul>
        </Section>
      )}
      {done > 0 && (
        <Section title={t`Answers per day`}>
          <DayBars days={overview.days} />
        </Section>
      )}
      {overview.experts.length > 0 && (
        <Section title={t`Experts`}>
          <ExpertTable experts={overview.experts} />
          {habits.chose_one > 0 && (
            <p className="soft small">
              <Trans>
                Time and side are taken from each expert’s latest answers. Sides are assigned at
                random, so A should be chosen about half of the time.
              </Trans>
            </p>
          )}
        </Section>
      )}
      {!closed && (
        <p className="soft small">
          <Trans>
            While the study is running, this page does not show which system is ahead. The Results
            tab does, and the history records who looked.
          </Trans>
        </p>
      )}
    </>
  );
}

function facts({ forecast, habits, pilot, coverage, total }: StudyOverview) {
  const found: [string, string][] = [];
  if (total > 0) found.push([say`Pace`, pace(forecast)]);
  if (habits.median_ms !== null) {
    const median = minutes(habits.median_ms);
    found.push([say`Time per text`, say`${median} (median)`]);
  }
  if (habits.chose_one > 0 && habits.a_share !== null) {
    const share = percent(habits.a_share);
    found.push([
      say`Chose side A`,
      plural(habits.chose_one, {
        one: `${share} of # answer that chose one side`,
        other: `${share} of # answers that chose one side`,
      }),
    ]);
  }
  if (coverage.length > 0) {
    found.push([say`Comparisons`, inARow(coverage.map(coverageInWords))]);
  }
  if (pilot > 0) {
    found.push([
      say`Pilot`,
      plural(pilot, {
        one: "# answer, counted separately",
        other: "# answers, counted separately",
      }),
    ]);
  }
  return found;
}

function coverageInWords({ answers, comparisons }: StudyOverview["coverage"][number]): string {
  const count = inDigits(comparisons);
  if (answers === 0) return say`${count} without answers`;
  return plural(answers, {
    one: `${count} with # answer`,
    other: `${count} with # answers`,
  });
}
