import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useState } from "react";
import type { Task } from "~/api/types";
import { SkipLink } from "~/components/SkipLink";
import column from "../frame/Column.module.css";
import frameClasses from "../frame/ExpertFrame.module.css";
import type { Frame } from "../frame/frame";
import { useWays } from "../frame/ways";
import { LabelStep } from "../labelStep/LabelStep";
import { PreferenceStep } from "../preferenceStep/PreferenceStep";
import { type Preference, unanswered } from "../preferenceStep/preference";
import { labelsHint, preferenceHint } from "./hints";
import { exampleBar, practiceAssignment, practiceText, ROUNDS } from "./items";
import classes from "./PracticePage.module.css";

type Props = {
  task: Task;
  /** Called when it is finished or skipped. */
  onLeave: () => void;
};

/** Two invented texts with both real steps. Nothing is sent. */
export function Practice({ task, onLeave }: Props) {
  const [round, setRound] = useState(0);
  const [isOver, setOver] = useState(false);
  return isOver ? (
    <Over
      task={task}
      onBegin={onLeave}
      onAgain={() => {
        setOver(false);
        setRound(round + 1);
      }}
    />
  ) : (
    <Round key={round} task={task} onOver={() => setOver(true)} onLeave={onLeave} />
  );
}

type RoundProps = { task: Task; onOver: () => void; onLeave: () => void };

/** What was entered at one stage, and just before it. */
type Entered = { stage: string; labels: number[]; before: number[]; preference: Preference };

function Round({ task, onOver, onLeave }: RoundProps) {
  const { t } = useLingui();
  const { study } = task;
  const [item, setItem] = useState(0);
  const [selected, setSelected] = useState<number[] | null>(null);
  const stage = `${item}-${selected === null ? 1 : 2}`;
  const nothing: Entered = { stage, labels: [], before: [], preference: unanswered };
  const [last, setLast] = useState(nothing);
  const entered = last.stage === stage ? last : nothing;

  const parts = practiceText(study, item).map((part) => t(part));
  const assignment = practiceAssignment(study, parts, item, selected);
  const shown: Task = {
    ...task,
    progress: { done: item, total: ROUNDS, minutes_left: null },
    saved_at: null,
    assignment,
  };
  const hint =
    selected === null
      ? labelsHint(study.task, study.labels, entered.labels, entered.before)
      : preferenceHint(entered.preference, exampleBar(study, item), study.share_meaning);
  const frame: Frame = {
    header: <Header task={shown} hint={hint} />,
    links: (
      <button type="button" className="linklike" onClick={onLeave}>
        <Trans>Leave the practice</Trans>
      </button>
    ),
  };
  // A step also reports its entries when it is left, which must not affect the next one's hint.
  const note = (changes: Partial<Entered>) =>
    setLast((now) => ({ ...(now.stage === stage ? now : nothing), ...changes, stage }));

  return selected === null ? (
    <LabelStep
      key={stage}
      task={shown}
      assignment={assignment}
      frame={frame}
      onDraft={(draft) => note({ labels: draft.entered, before: entered.labels })}
      onSubmit={(given) => setSelected(given.labels)}
    />
  ) : (
    <PreferenceStep
      key={stage}
      task={shown}
      assignment={assignment}
      frame={frame}
      onDraft={(draft) => note({ preference: draft.entered })}
      onSubmit={() => {
        if (item + 1 >= ROUNDS) return onOver();
        setItem(item + 1);
        setSelected(null);
      }}
    />
  );
}

/** In the same place as the real header, but clearly different. The hint stays in view while scrolling. */
function Header({ task, hint }: { task: Task; hint: string }) {
  const number = task.progress.done + 1;
  const total = task.progress.total;
  const { above } = useWays();
  return (
    <header className={`${frameClasses.header} ${classes.header}`}>
      {above}
      <strong className={classes.mark}>
        <bdi>
          <Trans>
            Practice {number} of {total}
          </Trans>
        </bdi>
      </strong>
      <span>
        <bdi>
          <Trans>Nothing here is saved.</Trans>
        </bdi>
      </span>
      <p className={classes.hint} role="status">
        <bdi>{hint}</bdi>
      </p>
    </header>
  );
}

type OverProps = { task: Task; onBegin: () => void; onAgain: () => void };

function Over({ task, onBegin, onAgain }: OverProps) {
  const { t } = useLingui();
  const title = t`That was the practice`;
  useDocumentTitle(`${title} · ${task.study.title}`);
  return (
    <>
      <SkipLink />
      <main id="main" className={column.main} tabIndex={-1}>
        <h1>{title}</h1>
        <p>
          <Trans>
            None of it was saved. From now on, every answer is saved immediately. You can practise
            again at any time, under Instructions.
          </Trans>
        </p>
        <div className={column.buttons}>
          <Button onClick={onBegin} autoFocus className={column.begin}>
            <Trans>Go to the texts</Trans>
          </Button>
          <Button variant="default" onClick={onAgain}>
            <Trans>Practise once more</Trans>
          </Button>
        </div>
      </main>
    </>
  );
}
