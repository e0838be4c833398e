import { Trans, useLingui } from "@lingui/react/macro";
import { Button, useDirection } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { ExpertFrame } from "../frame/ExpertFrame";
import { InstanceText } from "../step/InstanceText";
import { latinKey } from "../step/latinKey";
import steps from "../step/Step.module.css";
import type { StepProps } from "../step/stepProps";
import { useActiveTime } from "../step/useActiveTime";
import { useDraft } from "../step/useDraft";
import { useJustAppeared } from "../step/useJustAppeared";
import { useStepKeys } from "../step/useStepKeys";
import { AnswerChoice } from "./AnswerChoice";
import { CertaintyScale } from "./CertaintyScale";
import { Distribution } from "./Distribution";
import classes from "./PreferenceStep.module.css";
import { type Answer, missing, type Preference, pressed, toBody, unanswered } from "./preference";

/** Pixels at the lower edge that the main button's bar covers. */
const FOOTER = 130;

export type PreferenceGiven = ReturnType<typeof toBody> & { active_ms: number };

/** Step 2: two distributions, which of them is more accurate, and how certain that is. */
export function PreferenceStep(props: StepProps<Preference, PreferenceGiven>) {
  const { task, assignment, frame, draft, onDraft, onSubmit, isBusy = false, trouble } = props;
  const { t } = useLingui();
  const { study } = task;
  const [state, setState] = useState(draft?.entered ?? unanswered);
  const [asked, setAsked] = useState(false);
  const question = useRef<HTMLHeadingElement>(null);
  const activeTime = useActiveTime(draft?.active_ms);
  useDraft(state, activeTime, isBusy ? undefined : onDraft);
  const hasJustAppeared = useJustAppeared();
  const { dir } = useDirection();

  useEffect(() => {
    const heading = question.current;
    heading?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    // The text was read a moment ago; what is new are the two distributions, and a phone has room for them alone.
    const choice = document.getElementById("answers")?.getBoundingClientRect();
    if (choice && choice.bottom > window.innerHeight - FOOTER) {
      heading?.scrollIntoView({ block: "start" });
      // Under a long question the answers would still be covered: the distributions and they come first.
      const answers = document.getElementById("answers")?.getBoundingClientRect().bottom ?? 0;
      const footer = document.querySelector("footer")?.getBoundingClientRect().top ?? answers;
      if (answers > footer) window.scrollBy(0, answers - footer + 8);
    }
  }, []);

  const identical = assignment.comparison?.identical ?? false;
  const open = missing(state, identical);
  const enter = (entered: Partial<Preference>) => {
    if (!isBusy) setState((now) => ({ ...now, ...entered }));
  };
  const setAnswer = (answer: Answer) => enter({ answer });
  const setCertainty = (certainty: number) => enter({ certainty });

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
      enter(next);
    }
  }, "controls");

  const [first, second] = open;
  const stillToSay = second ? t`Still to say: ${first} and ${second}` : t`Still to say: ${first}`;
  const message = trouble ? (
    trouble
  ) : open.length > 0 ? (
    <span className={asked ? steps.missing : undefined}>{stillToSay}</span>
  ) : null;

  const mine = study.labels.filter((label) => assignment.selected?.includes(label.position));
  const { answer } = state;
  const number = props.number ?? task.progress.done + 1;

  return (
    <ExpertFrame
      study={study}
      frame={frame}
      title={t`Text ${number}, step 2`}
      hints={
        identical ? (
          <Trans>
            <kbd>O</kbd> <kbd>N</kbd> answer · <kbd>1</kbd>–<kbd>5</kbd> certainty ·{" "}
            <kbd>Enter</kbd> submit
          </Trans>
        ) : (
          <Trans>
            <kbd>A</kbd> <kbd>B</kbd> <kbd>O</kbd> <kbd>N</kbd> answer · <kbd>1</kbd>–<kbd>5</kbd>{" "}
            certainty · <kbd>Enter</kbd> submit
          </Trans>
        )
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
      <form id="step" onSubmit={submit} className={steps.step}>
        <div className={classes.top}>
          <InstanceText assignment={assignment} folded />
          <section aria-labelledby="mine" className={classes.mine}>
            <h2 id="mine">
              <Trans>You chose</Trans>
            </h2>
            {mine.length === 0 ? (
              <p className="soft">
                <Trans>Nothing</Trans>
              </p>
            ) : (
              <ul lang={study.language}>
                {mine.map((label) => (
                  <li key={label.position} dir="auto">
                    {label.name}
                  </li>
                ))}
              </ul>
            )}
          </section>
        </div>
        <div>
          <h1
            id="question"
            ref={question}
            className={classes.question}
            tabIndex={-1}
            lang={study.language}
            dir="auto"
          >
            {study.question_preference}
          </h1>
          {identical && (
            <p id="same" className={classes.same}>
              <Trans>Here A and B are the same. Please say whether they are accurate.</Trans>
            </p>
          )}
          <div className={classes.sides} data-same={identical || undefined}>
            {identical ? (
              <Distribution
                side="same"
                bars={assignment.comparison?.a ?? []}
                language={study.language}
                chosen={answer === "both"}
              />
            ) : (
              (["a", "b"] as const).map((side) => (
                <Distribution
                  key={side}
                  side={side}
                  bars={assignment.comparison?.[side] ?? []}
                  language={study.language}
                  chosen={answer === side || answer === "both"}
                  onChoose={() => setAnswer(side)}
                />
              ))
            )}
          </div>
          <AnswerChoice answer={answer} onAnswer={setAnswer} identical={identical} />
        </div>
        <CertaintyScale certainty={state.certainty} onCertainty={setCertainty} direction={dir} />
      </form>
    </ExpertFrame>
  );
}

/** Leads to the first part without an answer. */
function bringToSight(id: "answers" | "certainty") {
  const part = document.getElementById(id);
  part?.scrollIntoView({ block: "center" });
  part
    ?.querySelector<HTMLElement>("input[type=radio], [role=slider]")
    ?.focus({ preventScroll: true });
}
