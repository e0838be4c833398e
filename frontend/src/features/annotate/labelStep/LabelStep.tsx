import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { isolated } from "~/languages/bidi";
import { ExpertFrame } from "../frame/ExpertFrame";
import { InstanceText } from "../step/InstanceText";
import steps from "../step/Step.module.css";
import type { StepProps } from "../step/stepProps";
import { useActiveTime } from "../step/useActiveTime";
import { useDraft } from "../step/useDraft";
import { useJustAppeared } from "../step/useJustAppeared";
import { useUndoable } from "../step/useUndoable";
import { LabelChips } from "./LabelChips";
import { LabelScale } from "./LabelScale";
import classes from "./LabelStep.module.css";
import { chosenInWords, toggle } from "./selection";
import { useIsBelow } from "./useIsBelow";

export type LabelsGiven = { labels: number[]; active_ms: number };

/** Step 1: the text, and which labels it has. */
export function LabelStep(props: StepProps<number[], LabelsGiven>) {
  const { task, assignment, frame, draft, onDraft, onSubmit, isBusy = false, trouble } = props;
  const { t } = useLingui();
  const { study } = task;
  const {
    state: selected,
    enter,
    undo,
  } = useUndoable<number[]>(draft?.entered ?? assignment.selected ?? []);
  const [asked, setAsked] = useState(false);
  const text = useRef<HTMLElement>(null);
  const question = useRef<HTMLDivElement>(null);
  const questionIsBelow = useIsBelow(question);
  const activeTime = useActiveTime(draft?.active_ms);
  useDraft(selected, activeTime, isBusy ? undefined : onDraft);
  const hasJustAppeared = useJustAppeared();

  useEffect(() => {
    text.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);

  const number = props.number ?? task.progress.done + 1;
  const chosen = study.labels.filter((label) => selected.includes(label.position));
  const exclusive = study.labels.find((label) => label.exclusive);
  const mayBeEmpty = study.task === "multilabel" && !exclusive;
  const isComplete = selected.length > 0 || mayBeEmpty;

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (isBusy || (selected.length === 0 && hasJustAppeared())) return;
    setAsked(true);
    if (isComplete) onSubmit({ labels: selected, active_ms: activeTime() });
  }

  function choose(position: number) {
    if (!isBusy) enter("labels", (now) => toggle(now, position, study.labels, study.task));
  }

  const none = exclusive && isolated(exclusive.name);
  const howToComplete = none ? t`Choose at least one label, or “${none}”.` : t`Choose one label.`;
  const message = trouble ? (
    trouble
  ) : asked && !isComplete ? (
    <span className={steps.missing}>{howToComplete}</span>
  ) : null;

  return (
    <ExpertFrame
      study={study}
      frame={frame}
      title={t`Text ${number}, step 1`}
      isFixed="wide"
      ahead={
        questionIsBelow && (
          <button
            type="button"
            className="linklike"
            onClick={() => question.current?.scrollIntoView({ block: "start" })}
          >
            ↓ <span dir="auto">{study.question_labels}</span>
          </button>
        )
      }
      undo={undo}
      hints={study.task === "ordinal" ? <ScaleHints /> : <ChipHints />}
      message={message}
      action={
        <Button
          type="submit"
          form="step"
          data-muted={!isComplete || undefined}
          className={steps.go}
        >
          {isBusy ? t`Saving…` : (props.submitWords ?? t`Continue`)}
        </Button>
      }
    >
      <form id="step" onSubmit={submit} className={`${steps.step} ${classes.form}`}>
        <InstanceText assignment={assignment} focusRef={text} />
        <div ref={question} className={classes.ask}>
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
            {study.task === "multilabel" ? chosenInWords(chosen) : ""}
          </span>
        </div>
      </form>
    </ExpertFrame>
  );
}

function ChipHints() {
  return (
    <Trans>
      <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>Space</kbd> choose · <kbd>Enter</kbd> continue
    </Trans>
  );
}

function ScaleHints() {
  return (
    <Trans>
      <kbd>←</kbd> <kbd>→</kbd> choose · <kbd>Enter</kbd> continue
    </Trans>
  );
}
