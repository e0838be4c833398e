import { Link } from "react-router";
import type { StudyOverview } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Progress } from "~/components/Progress";
import { Facts, Section } from "~/components/Section";
import { counted } from "~/components/words";
import { useWorkspaceStudy } from "../workspace/workspace";
import { useOverview } from "./calls";
import { DayBars } from "./DayBars";
import { ExpertTable } from "./ExpertTable";
import classes from "./Overview.module.css";
import { headline, minutes, pace, share } from "./words";

/** How the study is doing while it runs. Which system wins is not told here. */
export default function OverviewTab() {
  const { slug, state } = useWorkspaceStudy();
  const overview = useOverview(slug);
  if (!overview.data) {
    if (!overview.error) return <Loading />;
    return (
      <ErrorNotice
        title="The overview cannot be shown"
        error={overview.error}
        onRetry={() => void overview.refetch()}
      />
    );
  }
  return <Whole slug={slug} closed={state === "closed"} overview={overview.data} />;
}

type Props = { slug: string; closed: boolean; overview: StudyOverview };

function Whole({ slug, closed, overview }: Props) {
  const { done, total, habits, needs } = overview;
  return (
    <>
      <Section title="Progress">
        <p className={classes.headline}>{headline(overview)}</p>
        {total > 0 && <Progress label="Answers collected" done={done} total={total} />}
        <Facts facts={facts(overview)} />
      </Section>
      {needs.length > 0 && (
        <Section title="Needs you">
          <ul className={classes.needs}>
            {needs.map(({ kind, sentence, tab }) => (
              <li key={`${kind} ${tab}`}>
                {sentence}
                {tab && <Link to={`/studies/${slug}/${tab}`}>{`Go to ${tab}`}</Link>}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {done > 0 && (
        <Section title="Answers per day">
          <DayBars days={overview.days} />
        </Section>
      )}
      {overview.experts.length > 0 && (
        <Section title="Experts">
          <ExpertTable experts={overview.experts} />
          {habits.chose_one > 0 && (
            <p className="soft small">
              Time and side are of each expert's newest answers. Sides are drawn at random, so A
              should be chosen about half of the time.
            </p>
          )}
        </Section>
      )}
      {!closed && (
        <p className="soft small">
          Which system is ahead is not shown here while the study runs. The results tab shows it,
          and the history notes who looked.
        </p>
      )}
    </>
  );
}

function facts({ forecast, habits, pilot, coverage, total }: StudyOverview) {
  const found: [string, string][] = [];
  if (total > 0) found.push(["Pace", pace(forecast)]);
  if (habits.median_ms !== null)
    found.push(["Time per text", `${minutes(habits.median_ms)} (median)`]);
  if (habits.chose_one > 0) {
    const of = habits.chose_one.toLocaleString("en-GB");
    found.push(["Side A chosen", `${share(habits.a_share)} of ${of} answers that chose one side`]);
  }
  if (coverage.length > 0) {
    const words = coverage.map(
      ({ answers, comparisons }) =>
        `${comparisons.toLocaleString("en-GB")} with ${answers === 0 ? "no answer" : counted(answers, "answer")}`,
    );
    found.push(["Comparisons", words.join(", ")]);
  }
  if (pilot > 0) found.push(["Pilot", `${counted(pilot, "answer")}, counted apart`]);
  return found;
}
