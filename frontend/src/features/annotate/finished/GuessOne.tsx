import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { Assignment, Task } from "~/api/types";
import { KeyHint } from "~/components/KeyHint";
import { useOutbox } from "~/outbox/OutboxProvider";
import answers from "../preferenceStep/AnswerChoice.module.css";
import { Distribution } from "../preferenceStep/Distribution";
import sides from "../preferenceStep/PreferenceStep.module.css";
import { InstanceText } from "../step/InstanceText";
import { latinKey } from "../step/latinKey";
import { useStepKeys } from "../step/useStepKeys";
import classes from "./Guessing.module.css";

export type GuessedSide = "a" | "b" | "unknown";

const CHOICES: readonly { side: GuessedSide; key: string; words: MessageDescriptor }[] = [
  { side: "a", key: "A", words: msg`A came from people` },
  { side: "b", key: "B", words: msg`B came from people` },
  { side: "unknown", key: "X", words: msg`I cannot tell` },
];

type Props = {
  study: Task["study"];
  assignment: Assignment;
  number: number;
  count: number;
  onDone: () => void;
};

/** One answered comparison, as it was shown, and the guess. */
export function GuessOne({ study, assignment, number, count, onDone }: Props) {
  const { t } = useLingui();
  const [side, setSide] = useState<GuessedSide | null>(null);
  const [asked, setAsked] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const outbox = useOutbox();
  const { token } = assignment;

  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView?.({ block: "start" });
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
    <form onSubmit={submit} className={classes.form}>
      <h3 id="guess" ref={heading} tabIndex={-1}>
        <Trans>
          Which side came from people? ({number} of {count})
        </Trans>
      </h3>
      <InstanceText assignment={assignment} folded />
      <div className={sides.sides}>
        {(["a", "b"] as const).map((letter) => (
          <Distribution
            key={letter}
            side={letter}
            bars={assignment.comparison?.[letter] ?? []}
            language={study.language}
            chosen={side === letter}
            onChoose={() => setSide(letter)}
          />
        ))}
      </div>
      <div role="radiogroup" aria-labelledby="guess" className={classes.choices}>
        {CHOICES.map((choice) => (
          <label key={choice.side} className={answers.answer}>
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
      <div className={classes.end}>
        <span role="status">
          {asked && side === null ? t`Please choose one of the three.` : ""}
        </span>
        <Button type="submit" data-muted={side === null || undefined}>
          <Trans>Store my guess</Trans>
        </Button>
      </div>
    </form>
  );
}
