import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { inARow, percent } from "~/languages/formats";
import { ErrorNotice } from "./ErrorNotice";
import classes from "./JobProgress.module.css";
import { Note } from "./Note";
import { Progress } from "./Progress";

type Progressing = {
  state: string;
  progress: { done: number; total: number; message: string; seconds_left?: number | null };
  waits_for?: { sentence: string } | null | undefined;
};

type Props = {
  job: Progressing & {
    error: string;
    error_detail?: string | null | undefined;
    worker_alive?: boolean | undefined;
  };
  what: string;
  /** The sentence for a failed job, which cannot be built from the name alone in every language. */
  failed: string;
  onCancel: () => void;
  cancelling: boolean;
  onRetry?: (() => void) | undefined;
};

/** A background job while it waits or runs, or after it failed; nothing after it succeeded. */
export function JobProgress({ job, what, failed, onCancel, cancelling, onRetry }: Props) {
  const { state, progress } = job;
  if (isActive(state)) {
    return (
      <div className={classes.job}>
        {job.worker_alive === false && (
          <Note>
            <Trans>
              No worker is running at the moment, so this has to wait. It will start by itself once
              a worker is back. Nothing is lost.
            </Trans>
          </Note>
        )}
        <div className={classes.line}>
          <Progress
            label={what}
            done={progress.done}
            total={progress.total}
            text={jobInWords(job)}
          />
          <Button variant="default" onClick={onCancel} disabled={cancelling}>
            {cancelling ? t`Stopping…` : t`Cancel`}
          </Button>
        </div>
      </div>
    );
  }
  if (state === "failed") {
    return (
      <ErrorNotice title={failed} error={job.error} onRetry={onRetry}>
        {job.error_detail && (
          <details className={classes.detail}>
            <summary>
              <Trans>Details for admins</Trans>
            </summary>
            <pre>{job.error_detail}</pre>
          </details>
        )}
      </ErrorNotice>
    );
  }
  if (state === "cancelled") {
    return (
      <div className={classes.line}>
        <Note>
          <Trans>This was cancelled. Nothing was saved.</Trans>
        </Note>
        {onRetry && (
          <Button variant="default" onClick={onRetry}>
            <Trans>Start again</Trans>
          </Button>
        )}
      </div>
    );
  }
  return null;
}

export function isActive(state: string): boolean {
  return state === "queued" || state === "running";
}

/** A job's progress: the share done, the stage, and about how long it will still take; or what it waits for. */
export function jobInWords({ state, progress, waits_for }: Progressing): string {
  const { done, total, message, seconds_left } = progress;
  if (state === "queued") return waits_for?.sentence ?? t`Waiting for a worker`;
  const share = total > 0 ? percent(Math.floor((100 * done) / total) / 100) : t`Running`;
  return inARow([share, message, timeLeft(seconds_left)]);
}

/** About how long something will still take, no more exact than can be known. */
export function timeLeft(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "";
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return t`less than a minute left`;
  if (minutes < 60)
    return plural(minutes, { one: "about # minute left", other: "about # minutes left" });
  const hours = Math.round(minutes / 60);
  return plural(hours, { one: "about # hour left", other: "about # hours left" });
}
