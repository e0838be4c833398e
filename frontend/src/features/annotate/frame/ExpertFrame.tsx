import { useLingui } from "@lingui/react/macro";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Task } from "~/api/types";
import { SchemeToggle } from "~/components/SchemeToggle";
import { SkipLink } from "~/components/SkipLink";
import { wordsDirection } from "~/languages/bidi";
import { doneOf } from "~/languages/formats";
import classes from "./ExpertFrame.module.css";
import type { Frame } from "./frame";
import { Instructions } from "./Instructions";
import { Pause } from "./Pause";
import { SaveState } from "./SaveState";
import { useHeaderHeight } from "./useHeaderHeight";
import { useWays } from "./ways";
import { timeLeft } from "./wording";

type Props = {
  study: Task["study"];
  frame: Frame;
  /** The page's name for the browser's tab and for screen readers. */
  title: string;
  /** Which keys do what. */
  hints?: ReactNode;
  /** Part of the answer, shown beside the main button. */
  tool?: ReactNode;
  /**
   * The page stays still and its parts scroll within themselves, if the screen is high enough (`wide`: and if
   * they are side by side).
   */
  isFixed?: boolean | "wide";
  /** Undoes the last entry; null if there is none. Omitted if undoing is not possible here. */
  undo?: (() => void) | null;
  /** What is missing or went wrong, shown beside the main button, where the person is looking. */
  message: ReactNode;
  /** The main button. */
  action: ReactNode;
  /** Leads to the question while a long text hides it. */
  ahead?: ReactNode;
  children: ReactNode;
};

/**
 * What stays in place in both steps: progress above, other actions and the main button below.
 *
 * The page's own words are isolated (bdi): in a right-to-left study they keep their own direction.
 */
export function ExpertFrame(props: Props) {
  const {
    study,
    frame,
    title,
    hints,
    tool,
    isFixed = false,
    undo,
    message,
    action,
    ahead,
    children,
  } = props;
  const { t } = useLingui();
  useDocumentTitle(`${title} · ${study.title}`);
  return (
    <>
      <SkipLink />
      {frame.header}
      <main id="main" className={classes.main} tabIndex={-1} data-fixed={isFixed || undefined}>
        {frame.banner && <div className={classes.banner}>{frame.banner}</div>}
        {children}
      </main>
      <footer className={classes.footer} data-tool={tool ? true : undefined}>
        {ahead && <div className={classes.ahead}>{ahead}</div>}
        <div className={classes.links}>
          {undo !== undefined && (
            <button
              type="button"
              className="linklike"
              disabled={undo === null}
              aria-keyshortcuts="Control+Z Meta+Z"
              onClick={() => undo?.()}
            >
              {t`Undo`}
            </button>
          )}
          {frame.links}
        </div>
        {tool && <div className={classes.beside}>{tool}</div>}
        {hints && (
          <div className={classes.hints}>
            <bdi dir={wordsDirection()}>{hints}</bdi>
          </div>
        )}
        <div className={classes.message} aria-live="polite">
          {message && <bdi dir={wordsDirection()}>{message}</bdi>}
        </div>
        {action}
      </footer>
    </>
  );
}

export function ExpertHeader({ task }: { task: Task }) {
  const { t } = useLingui();
  const header = useHeaderHeight();
  const { home, above } = useWays();
  const { study, progress, saved_at } = task;
  const done = doneOf(progress);
  const left = timeLeft(progress.minutes_left);
  const share = progress.total > 0 ? (100 * progress.done) / progress.total : 0;
  return (
    <header ref={header} className={classes.header} data-above={above ? true : undefined}>
      {above}
      <Link
        to={home.to}
        className={classes.title}
        dir="auto"
        title={home.title ?? t`Back to my studies`}
      >
        {study.title}
      </Link>
      <div
        className={classes.bar}
        role="progressbar"
        aria-label={t`Your progress`}
        aria-valuemin={0}
        aria-valuemax={progress.total}
        aria-valuenow={progress.done}
        aria-valuetext={done}
      >
        <i style={{ inlineSize: `${share}%` }} />
      </div>
      <span className={classes.progress}>
        <bdi dir={wordsDirection()}>{left ? t`${done}, ${left}` : done}</bdi>
      </span>
      <span className={classes.saved} role="status">
        <bdi dir={wordsDirection()}>
          <SaveState savedAt={saved_at} />
        </bdi>
      </span>
      <div className={classes.tools}>
        {task.assignment && <Pause />}
        <Instructions study={study} />
        <SchemeToggle className={classes.tool} />
      </div>
    </header>
  );
}
