import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Assignment, Task } from "~/api/types";
import { useSnapshot } from "~/outbox/OutboxProvider";
import { useGuesses } from "./calls";
import classes from "./Guessing.module.css";

/** The comparison being guessed about, and how many are left. */
export type Guessing = {
  asked: readonly Assignment[];
  turn: number | null;
  current: Assignment | undefined;
  /** Whether the last answer can still be changed: not after a guess about it, and not before that is known. */
  mayCorrect: boolean;
  onTurn: (turn: number) => void;
};

export function useGuessing(task: Task): Guessing {
  const { data, isLoading } = useGuesses(task);
  const [turn, setTurn] = useState<number | null>(null);
  const asked = data?.assignments ?? [];
  return {
    asked,
    turn,
    current: turn === null ? undefined : asked[turn],
    mayCorrect: turn === null && !isLoading && data?.may_correct !== false,
    onTurn: setTurn,
  };
}

/** After the last answer, if the study asks: which side was the human one? Answering is optional, and nobody is told. */
export function GuessingAsked({ asked, turn, onTurn }: Guessing) {
  const { t } = useLingui();
  const { waiting } = useSnapshot();
  const isWaiting = waiting.some(({ kind }) => kind === "guess");
  const count = asked.length;
  if (count === 0) return null;
  if (turn !== null) {
    return (
      <section className={classes.asked} aria-label={t`One more question`}>
        <p role="status">
          {isWaiting ? (
            <Trans>
              Thank you. There are no more questions. Your guesses are not all saved yet.
            </Trans>
          ) : (
            <Trans>Thank you. Your guesses are saved, and there are no more questions.</Trans>
          )}
        </p>
      </section>
    );
  }
  return (
    <section className={classes.asked} aria-labelledby="guessing">
      <h2 id="guessing">
        <Trans>One more question, if you like</Trans>
      </h2>
      <p>
        <Trans>
          In each comparison, one side came from people and the other from a computer. Can you tell
          which? Your guesses show whether the study has hidden this well.
        </Trans>
      </p>
      <p>
        <Plural
          value={count}
          one="You will see one of your comparisons again and guess which side came from people. After that, you can no longer change your answer to it."
          other="You will see # of your comparisons again and guess for each which side came from people. After that, you can no longer change your answers to them."
        />
      </p>
      <Button variant="default" onClick={() => onTurn(0)} className={classes.go}>
        <Trans>Guess</Trans>
      </Button>
    </section>
  );
}
