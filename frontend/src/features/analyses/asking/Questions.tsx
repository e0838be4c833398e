import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { Link, useNavigate } from "react-router";
import type { Analysis, RunRow } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { isActive, jobInWords } from "~/components/JobProgress";
import { Progress } from "~/components/Progress";
import { Section } from "~/components/Section";
import { SimulatedMark } from "~/components/SimulatedMark";
import { moment } from "~/components/words";
import { inARow } from "~/languages/formats";
import { Answer } from "../Answer";
import { useStartRun } from "../calls";
import { plannedInWords } from "../result";
import { addressOf, type Subject } from "../subject";
import { inGroups, settingsOf } from "./order";
import { QuestionPicture } from "./pictures";
import classes from "./Questions.module.css";

type Props = { subject: Subject; analyses: readonly Analysis[]; runs: readonly RunRow[] };

/** The questions that can be asked, as cards in groups; the one that the study is about comes first. */
export function Questions({ subject, analyses, runs }: Props) {
  if (analyses.length === 0)
    return (
      <p className="soft">
        <Trans>No analyses are available here.</Trans>
      </p>
    );
  return inGroups(analyses).map(({ group, entries }) => (
    <Section key={group} title={group}>
      <ul className={classes.cards}>
        {entries.map((analysis) => (
          <li
            key={analysis.name}
            className={classes.card}
            data-preset={analysis.is_preset || undefined}
          >
            <Question
              subject={subject}
              analysis={analysis}
              running={runs.find((run) => run.analysis === analysis.name && isActive(run.state))}
            />
          </li>
        ))}
      </ul>
    </Section>
  ));
}

type QuestionProps = { subject: Subject; analysis: Analysis; running: RunRow | undefined };

function Question({ subject, analysis, running }: QuestionProps) {
  const { question, shows, latest, available, reason } = analysis;
  return (
    <>
      <QuestionPicture name={analysis.name} />
      <div className={classes.words}>
        <h3>{question}</h3>
        {latest?.answer ? <Answer text={latest.answer} /> : <p className="soft">{shows}</p>}
        {latest && (
          <p className="small">
            <Link
              to={addressOf({
                ...latest,
                analysis: analysis.name,
                study: subject.kind === "study" ? subject.slug : null,
              })}
              aria-label={t`Read the result: ${question}`}
            >
              <Trans>Read the result</Trans>
            </Link>{" "}
            <span className="soft">
              {inARow([
                t`Answered on ${moment(latest.finished_at)}`,
                plannedInWords(latest.is_planned),
              ])}
            </span>{" "}
            {latest.is_simulated && <SimulatedMark />}
          </p>
        )}
        {running ? (
          <div className={classes.acts}>
            <Progress
              label={question}
              done={running.progress.done}
              total={running.progress.total}
              text={jobInWords(running)}
            />
            <Link to={addressOf(running)} aria-label={t`Show progress: ${question}`}>
              <Trans>Show progress</Trans>
            </Link>
          </div>
        ) : (
          <>
            {!available && (
              <p className={classes.reason}>
                <Trans>Not available yet.</Trans> {reason}
              </p>
            )}
            <Acts subject={subject} analysis={analysis} />
          </>
        )}
      </div>
    </>
  );
}

/** Starts it with the usual settings, or shows its settings first. */
function Acts({ subject, analysis }: { subject: Subject; analysis: Analysis }) {
  const start = useStartRun(subject);
  const navigate = useNavigate();
  const { question, name, available, latest } = analysis;
  const wantsDatasets = subject.kind === "free" && !analysis.subjects.includes("nothing");
  const settings = settingsOf(name);
  const act = latest ? t`Run again` : t`Run analysis`;
  return (
    <>
      <div className={classes.acts}>
        {available && !wantsDatasets && (
          <Button
            variant={latest ? "default" : "filled"}
            aria-label={`${act}: ${question}`}
            disabled={start.isPending}
            onClick={() =>
              start.mutate(
                { analysis: name, parameters: {}, seed: null, datasets: [] },
                { onSuccess: (run) => void navigate(addressOf(run)) },
              )
            }
          >
            {start.isPending ? t`Starting…` : act}
          </Button>
        )}
        <Link
          to={settings}
          aria-label={`${wantsDatasets ? t`Choose datasets` : t`Settings`}: ${question}`}
        >
          {wantsDatasets ? t`Choose datasets` : t`Settings`}
        </Link>
      </div>
      {start.error && <ErrorNotice title={t`The analysis was not started`} error={start.error} />}
    </>
  );
}
