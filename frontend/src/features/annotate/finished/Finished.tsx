import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Task } from "~/api/types";
import { SkipLink } from "~/components/SkipLink";
import { doneOf } from "~/languages/formats";
import column from "../frame/Column.module.css";
import { ExpertHeader } from "../frame/ExpertFrame";
import { Leave } from "../frame/Leave";
import { savedAt } from "../frame/wording";
import { GuessingAsked, useGuessing } from "./Guessing";
import { GuessOne } from "./GuessOne";
import { More } from "./More";
import { openingTime } from "./opening";

type Props = {
  task: Task;
  /** Whether the last answers are not stored yet. */
  waits?: boolean;
  /** Whether they are, but what comes next could not be fetched. */
  isLost?: boolean;
  banner?: ReactNode;
  /** Other things the expert can do here. */
  links?: ReactNode;
  onLookAgain: () => void;
};

type Words = { title: MessageDescriptor; text: MessageDescriptor; again?: MessageDescriptor };

const WAITS: Words = {
  title: msg`Your answer is not saved yet`,
  text: msg`It will be sent as soon as the server can be reached, and you can continue from there. Please leave this page open until then.`,
};

const LOST: Words = {
  title: msg`Your answer is saved`,
  text: msg`The next text could not be loaded. Please check your connection and try again.`,
  again: msg`Try again`,
};

const WORDS: Record<Task["finished"], Words> = {
  "": LOST,
  asked_first: LOST, // has its own page
  has_looked: {
    title: msg`You cannot answer any more texts here`,
    text: msg`You have seen, or could see, what people say about these texts, so your answers would no longer be independent. All your answers so far are saved.`,
  },
  all_done: {
    title: msg`That was the last text. Thank you.`,
    text: msg`All your answers are saved, and there is nothing more for you to do. You can close this page.`,
  },
  nothing_available: {
    title: msg`Nothing to do at the moment`,
    text: msg`There is no text for you right now. If one becomes available, it will appear here. All your answers are saved.`,
    again: msg`Check again`,
  },
  not_open_yet: {
    title: msg`The study has not opened yet`,
    text: msg`You are early. There is nothing to do for now; your texts will appear here as soon as the study opens.`,
    again: msg`Check again`,
  },
  paused: {
    title: msg`The study is paused`,
    text: msg`The organisers have paused the study. All your answers are saved, and you will continue from the same place.`,
    again: msg`Check again`,
  },
  closed: {
    title: msg`The study is closed`,
    text: msg`No more answers are being collected. Thank you for taking part; all your answers are saved.`,
  },
};

/** No text to show: finished, paused, closed, nothing free at the moment, or no connection. */
export function Finished({ task, waits, isLost, banner, links, onLookAgain }: Props) {
  const { t } = useLingui();
  const words = waits ? WAITS : isLost ? LOST : WORDS[task.finished];
  useDocumentTitle(`${t(words.title)} · ${task.study.title}`);
  const guessing = useGuessing(task);
  const { current, turn, asked } = guessing;
  const opening = openingTime(task.opens_at);
  const saved = waits ? "" : savedAt(task.saved_at);
  if (current && turn !== null) {
    return (
      <GuessOne
        key={current.token}
        task={task}
        assignment={current}
        number={turn + 1}
        count={asked.length}
        onDone={() => guessing.onTurn(turn + 1)}
        onStop={() => guessing.onTurn(asked.length)}
      />
    );
  }
  return (
    <>
      <SkipLink />
      <ExpertHeader task={task} />
      <main id="main" className={column.main} tabIndex={-1}>
        {banner}
        <h1>
          <bdi>{t(words.title)}</bdi>
        </h1>
        <p>
          <bdi>{t(words.text)}</bdi>
        </p>
        {opening && (
          <p>
            <Trans>It is planned to open on {opening}.</Trans>
          </p>
        )}
        {task.finished !== "not_open_yet" && (
          <p className="soft">
            {doneOf(task.progress)}
            {saved && `. ${saved}.`}
          </p>
        )}
        {!waits && !isLost && <More task={task} />}
        <GuessingAsked {...guessing} />
        {words.again && (
          <Button variant="default" onClick={onLookAgain} className={column.begin}>
            {t(words.again)}
          </Button>
        )}
        {links && guessing.mayCorrect && <p>{links}</p>}
        {task.progress.done > 0 && (
          <p>
            <Link to={`/studies/${task.study.slug}/answers`}>
              <Trans>My answers</Trans>
            </Link>
          </p>
        )}
        <p>
          <Link to="/">
            <Trans>My studies</Trans>
          </Link>
        </p>
        <p>
          <Leave study={task.study} />
        </p>
      </main>
    </>
  );
}
