import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import type { Assignment, Task } from "~/api/types";
import { SchemeToggle } from "~/components/SchemeToggle";
import { SkipLink } from "~/components/SkipLink";
import classes from "./ExpertFrame.module.css";
import { Instructions } from "./Instructions";
import { doneOf, savedAt, timeLeft } from "./logic/wording";
import { ReportProblem } from "./ReportProblem";

type Props = {
  slug: string;
  task: Task;
  assignment: Assignment;
  /** The page's name for the browser's tab and for screen readers. */
  title: string;
  /** Which keys do what. */
  hints: ReactNode;
  /** What is missing, or what went wrong: beside the main button, where the eye is. */
  message: ReactNode;
  /** The main button. */
  action: ReactNode;
  children: ReactNode;
};

/**
 * What stays in place on both steps: progress above, reporting and the main button below.
 *
 * The page's own words are isolated (bdi): in a right-to-left study they keep their own direction.
 */
export function ExpertFrame(props: Props) {
  const { slug, task, assignment, title, hints, message, action, children } = props;
  const [reporting, setReporting] = useState(false);
  useDocumentTitle(`${title} · ${task.study.title}`);
  return (
    <>
      <SkipLink />
      <ExpertHeader task={task} />
      <main id="main" className={classes.main} tabIndex={-1}>
        {children}
      </main>
      <footer className={classes.footer}>
        <button type="button" className="linklike" onClick={() => setReporting(true)}>
          Report a problem
        </button>
        <div className={classes.hints}>
          <bdi>{hints}</bdi>
        </div>
        <div className={classes.message} aria-live="polite">
          {message && <bdi>{message}</bdi>}
        </div>
        {action}
      </footer>
      <ReportProblem
        slug={slug}
        assignment={assignment}
        opened={reporting}
        onClose={() => setReporting(false)}
      />
    </>
  );
}

export function ExpertHeader({ task }: { task: Task }) {
  const { study, progress, saved_at } = task;
  const left = timeLeft(progress.minutes_left);
  const share = progress.total > 0 ? (100 * progress.done) / progress.total : 0;
  return (
    <header className={classes.header}>
      <Link to="/" className={classes.title} dir="auto" title="Back to my studies">
        {study.title}
      </Link>
      <div
        className={classes.bar}
        role="progressbar"
        aria-label="Your progress"
        aria-valuemin={0}
        aria-valuemax={progress.total}
        aria-valuenow={progress.done}
        aria-valuetext={doneOf(progress)}
      >
        <i style={{ inlineSize: `${share}%` }} />
      </div>
      <span className={classes.progress}>
        <bdi>{left ? `${doneOf(progress)}, ${left}` : doneOf(progress)}</bdi>
      </span>
      <span className={classes.saved} role="status">
        <bdi>{savedAt(saved_at)}</bdi>
      </span>
      <div className={classes.tools}>
        <Instructions study={study} />
        <SchemeToggle className={classes.tool} />
      </div>
    </header>
  );
}
