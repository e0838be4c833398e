import { Button } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { Assignment, Task } from "~/api/types";
import { useSendLabels } from "./calls";
import { ExpertFrame } from "./ExpertFrame";
import { InstanceText } from "./InstanceText";
import { LabelChips } from "./LabelChips";
import { LabelScale } from "./LabelScale";
import classes from "./LabelStep.module.css";
import { AnswerKeys } from "./logic/answerKey";
import { countChosen, toggle } from "./logic/selection";
import { SaveTrouble } from "./SaveTrouble";
import { useActiveTime } from "./useActiveTime";

type Props = { slug: string; task: Task; assignment: Assignment };

/** Step 1: the text, and which labels it has. */
export function LabelStep({ slug, task, assignment }: Props) {
  const { study } = task;
  const [selected, setSelected] = useState<number[]>(assignment.selected ?? []);
  const [asked, setAsked] = useState(false);
  const [keys] = useState(() => new AnswerKeys());
  const text = useRef<HTMLElement>(null);
  const send = useSendLabels(slug);
  const activeTime = useActiveTime();

  useEffect(() => {
    text.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);

  const exclusive = study.labels.find((label) => label.exclusive);
  const mayBeEmpty = study.task === "multilabel" && !exclusive;
  const isComplete = selected.length > 0 || mayBeEmpty;

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (send.isPending) return;
    setAsked(true);
    if (!isComplete) return;
    const { token } = assignment;
    send.mutate({
      token,
      key: keys.for(token, selected),
      labels: selected,
      active_ms: activeTime(),
    });
  }

  function choose(position: number) {
    setSelected((now) => toggle(now, position, study.labels, study.task));
  }

  const howToComplete = exclusive
    ? `Choose at least one answer, or “${exclusive.name}”.`
    : "Choose one answer.";
  const message = send.error ? (
    <SaveTrouble error={send.error} onRetry={submit} />
  ) : send.isPending && send.failureCount > 0 ? (
    "No answer yet from the server. Trying again…"
  ) : asked && !isComplete ? (
    <span className={classes.missing}>{howToComplete}</span>
  ) : null;

  return (
    <ExpertFrame
      slug={slug}
      task={task}
      assignment={assignment}
      title={`Text ${task.progress.done + 1}, step 1`}
      hints={study.task === "ordinal" ? <ScaleHints /> : <ChipHints />}
      message={message}
      action={
        <Button
          type="submit"
          form="step"
          data-muted={!isComplete || undefined}
          className={classes.go}
        >
          {send.isPending ? "Saving…" : "Continue"}
        </Button>
      }
    >
      <form id="step" onSubmit={submit} className={classes.step}>
        <InstanceText assignment={assignment} focusRef={text} />
        <div>
          <h1 id="question" lang={study.language} dir="auto">
            {study.question_labels}
          </h1>
          {study.task === "ordinal" ? (
            <LabelScale
              labels={study.labels}
              selected={selected}
              onChoose={choose}
              onSubmit={submit}
            />
          ) : (
            <LabelChips
              labels={study.labels}
              task={study.task}
              language={study.language}
              direction={study.direction}
              selected={selected}
              onToggle={choose}
              onSubmit={submit}
            />
          )}
          <span className={classes.announce} role="status">
            {study.task === "multilabel" ? countChosen(selected.length) : ""}
          </span>
        </div>
      </form>
    </ExpertFrame>
  );
}

function ChipHints() {
  return (
    <>
      <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>Space</kbd> choose · <kbd>Enter</kbd> continue
    </>
  );
}

function ScaleHints() {
  return (
    <>
      <kbd>←</kbd> <kbd>→</kbd> choose · <kbd>Enter</kbd> continue
    </>
  );
}
