import { Trans, useLingui } from "@lingui/react/macro";
import { Button, useDirection } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { ExpertFrame } from "../frame/ExpertFrame";
import { latinKey } from "../step/latinKey";
import steps from "../step/Step.module.css";
import type { StepProps } from "../step/stepProps";
import { TextAside } from "../step/TextAside";
import { useActiveTime } from "../step/useActiveTime";
import { useDraft } from "../step/useDraft";
import { useJustAppeared } from "../step/useJustAppeared";
import { useStepKeys } from "../step/useStepKeys";
import { useUndoable } from "../step/useUndoable";
import { AnswerChoice } from "./AnswerChoice";
import { CertaintyScale } from "./CertaintyScale";
import { Chart } from "./Chart";
import classes from "./PreferenceStep.module.css";
import { type Answer, missing, type Preference, pressed, toBody, unanswered } from "./preference";

/** Sliding the certainty is one act. */
const SLIDES = ["certainty"] as const;

export type PreferenceGiven = ReturnType<typeof toBody> & { active_ms: number };

/** Step 2: two distributions, which of them is more accurate, and how certain that is. */
export function PreferenceStep(props: StepProps<Preference, PreferenceGiven>) {
  const { task, assignment, frame, draft, onDraft, onSubmit, isBusy = false, trouble } = props;
  const { t } = useLingui();
  const { study } = task;
  const { state, enter, undo } = useUndoable<Preference>(draft?.entered ?? unanswered, SLIDES);
  const [asked, setAsked] = useState(false);
  const question = useRef<HTMLHeadingElement>(null);
  const activeTime = useActiveTime(draft?.active_ms);
  useDraft(state, activeTime, isBusy ? undefined : onDraft);
  const hasJustAppeared = useJustAppeared();
  const { dir } = useDirection();

  useEffect(() => {
    question.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);

  const identical = assignment.comparison?.identical ?? false;
  const open = missing(state, identical);
  const setAnswer = (answer: Answer) => {
    if (!isBusy) enter("answer", (now) => ({ ...now, answer }));
  };
  const setCertainty = (certainty: number) => {
    if (!isBusy) enter("certainty", (now) => ({ ...now, certainty }));
  };

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (isBusy || (state === unanswered && hasJustAppeared())) return;
    setAsked(true);
    if (state.answer === null) return bringToSight("answers");
    if (state.certainty === null) return bringToSight("certainty");
    onSubmit({ ...toBody(state.answer, state.certainty), active_ms: activeTime() });
  }

  useStepKeys((event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (event.key === "Enter") {
      if (target?.closest("button, a")) return;
      event.preventDefault();
      submit();
      return;
    }
    const next = pressed(state, latinKey(event), identical);
    if (next !== state) {
      event.preventDefault();
      const key = latinKey(event);
      const field = next.answer === state.answer ? "certainty" : "answer";
      // From the entries at that moment, because two keys may come before the next render.
      if (!isBusy) enter(field, (now) => pressed(now, key, identical));
    }
  }, "controls");

  const [first, second] = open;
  const stillToSay = second
    ? t`Still to answer: ${first} and ${second}`
    : t`Still to answer: ${first}`;
  const message = trouble ? (
    <span data-said>{trouble}</span>
  ) : open.length > 0 ? (
    <span className={asked ? steps.missing : undefined} data-said={asked || undefined}>
      {stillToSay}
    </span>
  ) : null;

  const mine = study.labels.filter((label) => assignment.selected?.includes(label.position));
  const { answer } = state;
  const number = props.number ?? task.progress.done + 1;
  const chosen = (["a", "b"] as const).filter((side) => answer === side || answer === "both");

  return (
    <ExpertFrame
      study={study}
      frame={frame}
      title={t`Text ${number}, step 2`}
      isFixed
      undo={undo}
      tool={
        <CertaintyScale
          certainty={state.certainty}
          onCertainty={setCertainty}
          direction={dir}
          question={study.question_certainty}
          language={study.language}
        />
      }
      message={message}
      action={
        <Button
          type="submit"
          form="step"
          data-muted={open.length > 0 || undefined}
          className={steps.go}
        >
          {isBusy ? t`Saving…` : (props.submitWords ?? t`Submit`)}
        </Button>
      }
    >
      <form id="step" onSubmit={submit} className={steps.beside}>
        <TextAside assignment={assignment} mine={mine} language={study.language} />
        <div className={classes.work}>
          <h1 id="question" ref={question} tabIndex={-1} lang={study.language} dir="auto">
            {study.question_preference}
          </h1>
          {identical && (
            <p id="same">
              <Trans>Here A and B are the same. Please say whether they are accurate.</Trans>
            </p>
          )}
          {assignment.comparison && (
            <Chart
              study={study}
              comparison={assignment.comparison}
              chosen={chosen}
              onChoose={identical ? undefined : setAnswer}
            />
          )}
          <AnswerChoice answer={answer} onAnswer={setAnswer} identical={identical} />
        </div>
      </form>
    </ExpertFrame>
  );
}

/** Leads to the first part without an answer. */
function bringToSight(id: "answers" | "certainty") {
  const part = document.getElementById(id);
  part?.scrollIntoView({ block: "nearest" });
  part
    ?.querySelector<HTMLElement>("input[type=radio], [role=slider]")
    ?.focus({ preventScroll: true });
}
