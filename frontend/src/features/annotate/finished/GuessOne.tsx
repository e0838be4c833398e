import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, useDirection } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { Assignment, Task } from "~/api/types";
import { KeyHint } from "~/components/KeyHint";
import { useOutbox } from "~/outbox/OutboxProvider";
import { ExpertFrame, ExpertHeader } from "../frame/ExpertFrame";
import answers from "../preferenceStep/AnswerChoice.module.css";
import { Chart } from "../preferenceStep/Chart";
import step2 from "../preferenceStep/PreferenceStep.module.css";
import { latinKey } from "../step/latinKey";
import steps from "../step/Step.module.css";
import { TextAside } from "../step/TextAside";
import { useStepKeys } from "../step/useStepKeys";
import classes from "./Guessing.module.css";

export type GuessedSide = "a" | "b" | "unknown";

const CHOICES: readonly { side: GuessedSide; key: string; words: MessageDescriptor }[] = [
  { side: "a", key: "A", words: msg`A came from people` },
  { side: "b", key: "B", words: msg`B came from people` },
  { side: "unknown", key: "X", words: msg`I cannot tell` },
];

type Props = {
  task: Task;
  assignment: Assignment;
  number: number;
  count: number;
  onDone: () => void;
  /** Nobody has to guess: skips the rest. */
  onStop: () => void;
};

/** One answered comparison as it was shown, with the guess in place of the question and the answers. */
export function GuessOne({ task, assignment, number, count, onDone, onStop }: Props) {
  const { t } = useLingui();
  const [side, setSide] = useState<GuessedSide | null>(null);
  const [asked, setAsked] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const outbox = useOutbox();
  const { token } = assignment;
  const { study } = task;

  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);

  function submit(event?: FormEvent) {
    event?.preventDefault();
    setAsked(true);
    const choice = CHOICES.find((one) => one.side === side);
    if (!choice) return;
    const words = t(choice.words);
    const about = t`Guess ${number} of ${count}: ${words}`;
    void outbox.add({ study: study.slug, token, kind: "guess", body: { side }, about });
    onDone();
  }

  const { dir } = useDirection();

  useStepKeys((event) => {
    const choice = CHOICES.find(({ key }) => key === latinKey(event).toUpperCase());
    if (choice) {
      event.preventDefault();
      setSide(choice.side);
    } else if (event.key === "Enter" && !(event.target as Element).closest?.("button, a")) {
      event.preventDefault();
      submit();
    }
  }, "controls");

  return (
    <ExpertFrame
      study={study}
      frame={{
        header: <ExpertHeader task={task} />,
        links: (
          <button type="button" className="linklike" onClick={onStop}>
            <Trans>Stop guessing</Trans>
          </button>
        ),
      }}
      title={t`Guess ${number} of ${count}`}
      isFixed
      message={
        asked && side === null ? (
          <span className={steps.missing} data-said>
            {t`Please choose one of the three.`}
          </span>
        ) : null
      }
      action={
        <Button
          type="submit"
          form="step"
          data-muted={side === null || undefined}
          className={steps.go}
        >
          <Trans>Save my guess</Trans>
        </Button>
      }
    >
      <form id="step" onSubmit={submit} className={steps.beside}>
        <TextAside assignment={assignment} language={study.language} />
        <div className={step2.work}>
          <h1 id="guess" ref={heading} tabIndex={-1}>
            <Trans>
              Which side came from people? ({number} of {count})
            </Trans>
          </h1>
          {assignment.comparison && (
            <Chart
              study={study}
              comparison={assignment.comparison}
              chosen={side === "a" || side === "b" ? [side] : []}
              onChoose={setSide}
            />
          )}
          <div
            role="radiogroup"
            aria-labelledby="guess"
            className={classes.choices}
            // A stays on the left in every language, as in the chart.
            dir="ltr"
          >
            {CHOICES.map((choice) => (
              <label key={choice.side} className={answers.answer} dir={dir}>
                <input
                  type="radio"
                  name="guess"
                  value={choice.side}
                  checked={side === choice.side}
                  onChange={() => setSide(choice.side)}
                  aria-keyshortcuts={choice.key}
                />
                <span>{t(choice.words)}</span>
                <KeyHint name={choice.key} />
              </label>
            ))}
          </div>
        </div>
      </form>
    </ExpertFrame>
  );
}
