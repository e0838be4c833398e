import { Button } from "@mantine/core";
import { ErrorNotice } from "./ErrorNotice";
import classes from "./JobProgress.module.css";
import { Note } from "./Note";
import { Progress } from "./Progress";
import { counted } from "./words";

type Props = {
  job: {
    state: string;
    progress: { done: number; total: number; message: string; seconds_left?: number | null };
    error: string;
    error_detail?: string | null | undefined;
    worker_alive?: boolean | undefined;
  };
  what: string;
  onCancel: () => void;
  cancelling: boolean;
  onRetry?: (() => void) | undefined;
};

/** A background job while it waits, runs, or after it came to a bad end. Nothing when it went well. */
export function JobProgress({ job, what, onCancel, cancelling, onRetry }: Props) {
  const { state, progress } = job;
  if (isActive(state)) {
    return (
      <div className={classes.job}>
        {job.worker_alive === false && (
          <Note>
            No worker is running at the moment, so this waits. It starts by itself once one is back;
            nothing is lost.
          </Note>
        )}
        <div className={classes.line}>
          <Progress
            label={what}
            done={progress.done}
            total={progress.total}
            text={jobInWords(state, progress)}
          />
          <Button variant="default" onClick={onCancel} disabled={cancelling}>
            {cancelling ? "Stopping…" : "Cancel"}
          </Button>
        </div>
      </div>
    );
  }
  if (state === "failed") {
    return (
      <ErrorNotice title={`${what} failed`} error={job.error} onRetry={onRetry}>
        {job.error_detail && (
          <details className={classes.detail}>
            <summary>Details for admins</summary>
            <pre>{job.error_detail}</pre>
          </details>
        )}
      </ErrorNotice>
    );
  }
  if (state === "cancelled") {
    return (
      <div className={classes.line}>
        <Note>This was cancelled. Nothing of it was kept.</Note>
        {onRetry && (
          <Button variant="default" onClick={onRetry}>
            Start again
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

/** How far a job is: the share that is done, the stage, and about how long it still takes. */
export function jobInWords(state: string, progress: Props["job"]["progress"]): string {
  const { done, total, message, seconds_left } = progress;
  if (state === "queued") return "Waiting for a worker";
  const share = total > 0 ? `${Math.floor((100 * done) / total)}%` : "Running";
  return [share, message, timeLeft(seconds_left)].filter(Boolean).join(", ");
}

/** About how long something still takes, no more exactly than can be known. */
export function timeLeft(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "";
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "less than a minute left";
  if (minutes < 60) return `about ${counted(minutes, "minute")} left`;
  return `about ${counted(Math.round(minutes / 60), "hour")} left`;
}
