import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { RunRow } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { isActive, jobInWords } from "~/components/JobProgress";
import { Progress } from "~/components/Progress";
import { SimulatedMark } from "~/components/SimulatedMark";
import { State } from "~/components/State";
import { moment } from "~/components/words";
import { inARow } from "~/languages/formats";
import { Answer } from "../Answer";
import { useRunAct } from "../calls";
import { plannedInWords } from "../result";
import { addressOf } from "../subject";
import classes from "./Questions.module.css";

const SHOWN = 5;

type Props = { runs: readonly RunRow[]; titleOf: (name: string) => string; about: boolean };

/** All runs, newest first, each with its answer in a sentence. */
export function ResultList({ runs, titleOf, about }: Props) {
  const [all, setAll] = useState(false);
  if (runs.length === 0)
    return (
      <p className="soft">
        <Trans>No analyses have been run yet.</Trans>
      </p>
    );
  return (
    <>
      <ul className={classes.list}>
        {(all ? runs : runs.slice(0, SHOWN)).map((run) => (
          <li key={run.id} className={classes.row}>
            <OneResult run={run} title={titleOf(run.analysis)} about={about} />
          </li>
        ))}
      </ul>
      {runs.length > SHOWN && (
        <button type="button" className="linklike" aria-pressed={all} onClick={() => setAll(!all)}>
          {all
            ? plural(SHOWN, { one: "Show only the newest", other: "Show only the newest #" })
            : plural(runs.length, { one: "Show # run", other: "Show all # runs" })}
        </button>
      )}
    </>
  );
}

function OneResult({ run, title, about }: { run: RunRow; title: string; about: boolean }) {
  return (
    <>
      <p className={classes.meta}>
        <Link to={addressOf(run)}>{title}</Link>
        {about && <span>{run.about}</span>}
        <State state={run.state} />
        {run.is_planned !== null && <span className="small">{plannedInWords(run.is_planned)}</span>}
        <span className="soft small">
          {inARow([run.number && t`no. ${run.number}`, moment(run.finished_at ?? run.created_at)])}
        </span>
        {run.is_simulated && <SimulatedMark />}
      </p>
      {run.answer && <Answer text={run.answer} />}
      {run.state !== "succeeded" && <Unfinished run={run} title={title} />}
    </>
  );
}

/** A run in progress, or one that failed: its progress, or the reason and what to do. */
function Unfinished({ run, title }: { run: RunRow; title: string }) {
  const cancel = useRunAct(run.id, "cancel");
  const retry = useRunAct(run.id, "retry");
  const active = isActive(run.state);
  const act = active ? cancel : retry;
  const word = active ? t`Cancel` : t`Try again`;
  return (
    <>
      {run.state === "failed" && <p>{run.error}</p>}
      <div className={classes.acts}>
        {active && (
          <Progress
            label={title}
            done={run.progress.done}
            total={run.progress.total}
            text={jobInWords(run)}
          />
        )}
        <Button
          variant="default"
          size="compact-md"
          aria-label={`${word}: ${title}`}
          disabled={act.isPending}
          onClick={() => act.mutate()}
        >
          {word}
        </Button>
      </div>
      {act.error && <ErrorNotice error={act.error} />}
    </>
  );
}
