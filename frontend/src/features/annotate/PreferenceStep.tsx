import { Button, useDirection } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { Assignment, Task } from "~/api/types";
import { AnswerChoice } from "./AnswerChoice";
import { CertaintyScale } from "./CertaintyScale";
import { useSendPreference } from "./calls";
import { Distribution } from "./Distribution";
import { ExpertFrame } from "./ExpertFrame";
import { InstanceText } from "./InstanceText";
import steps from "./LabelStep.module.css";
import { AnswerKeys } from "./logic/answerKey";
import { type Answer, missing, pressed, toBody, unanswered } from "./logic/preference";
import classes from "./PreferenceStep.module.css";
import { SaveTrouble } from "./SaveTrouble";
import { useActiveTime } from "./useActiveTime";
import { useStepKeys } from "./useStepKeys";

type Props = { slug: string; task: Task; assignment: Assignment };

/** Step 2: two distributions, which of them is more accurate, and how certain that is. */
export function PreferenceStep({ slug, task, assignment }: Props) {
  const { study } = task;
  const [state, setState] = useState(unanswered);
  const [asked, setAsked] = useState(false);
  const [keys] = useState(() => new AnswerKeys());
  const question = useRef<HTMLHeadingElement>(null);
  const send = useSendPreference(slug);
  const activeTime = useActiveTime();
  const { dir } = useDirection();

  useEffect(() => {
    question.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);

  const open = missing(state);
  const setAnswer = (answer: Answer) => setState((now) => ({ ...now, answer }));
  const setCertainty = (certainty: number) => setState((now) => ({ ...now, certainty }));

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (send.isPending) return;
    setAsked(true);
    if (state.answer === null) return bringToSight("answers");
    if (state.certainty === null) return bringToSight("certainty");
    const { token } = assignment;
    const body = toBody(state.answer, state.certainty);
    send.mutate({ token, key: keys.for(token, body), ...body, active_ms: activeTime() });
  }

  useStepKeys((event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (event.key === "Enter") {
      if (target?.closest("button, a")) return;
      event.preventDefault();
      submit();
      return;
    }
    const next = pressed(state, event.key);
    if (next !== state) {
      event.preventDefault();
      setState(next);
    }
  }, "controls");

  const message = send.error ? (
    <SaveTrouble error={send.error} onRetry={submit} />
  ) : send.isPending && send.failureCount > 0 ? (
    "No answer yet from the server. Trying again…"
  ) : open.length > 0 ? (
    <span className={asked ? steps.missing : undefined}>Still to say: {open.join(" and ")}</span>
  ) : null;

  const mine = study.labels.filter((label) => assignment.selected?.includes(label.position));
  const { answer } = state;

  return (
    <ExpertFrame
      slug={slug}
      task={task}
      assignment={assignment}
      title={`Text ${task.progress.done + 1}, step 2`}
      hints={
        <>
          <kbd>A</kbd> <kbd>B</kbd> <kbd>O</kbd> <kbd>N</kbd> answer · <kbd>1</kbd>–<kbd>5</kbd>{" "}
          certainty · <kbd>Enter</kbd> submit
        </>
      }
      message={message}
      action={
        <Button
          type="submit"
          form="step"
          data-muted={open.length > 0 || undefined}
          className={steps.go}
        >
          {send.isPending ? "Saving…" : "Submit"}
        </Button>
      }
    >
      <form id="step" onSubmit={submit} className={steps.step}>
        <div className={classes.top}>
          <InstanceText assignment={assignment} folded />
          <section aria-labelledby="mine" className={classes.mine}>
            <h2 id="mine">You chose</h2>
            {mine.length === 0 ? (
              <p className="soft">Nothing</p>
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
          <h1 id="question" ref={question} tabIndex={-1} lang={study.language} dir="auto">
            {study.question_preference}
          </h1>
          <div className={classes.sides}>
            {(["a", "b"] as const).map((side) => (
              <Distribution
                key={side}
                side={side}
                bars={assignment.comparison?.[side] ?? []}
                language={study.language}
                chosen={answer === side || answer === "both"}
                onChoose={() => setAnswer(side)}
              />
            ))}
          </div>
          <AnswerChoice answer={answer} onAnswer={setAnswer} />
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
