import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Assignment, Task } from "~/api/types";
import { useSnapshot } from "~/outbox/OutboxProvider";
import { useGuesses } from "./calls";
import classes from "./Guessing.module.css";
import { GuessOne } from "./GuessOne";

/** After the last answer, if the study asks: which side was people's? Nobody has to say, and nobody is told. */
export function Guessing({ task }: { task: Task }) {
  const asked = useGuesses(task).data?.assignments;
  return asked && asked.length > 0 ? <Question task={task} asked={asked} /> : null;
}

type QuestionProps = { task: Task; asked: readonly Assignment[] };

function Question({ task, asked }: QuestionProps) {
  const { t } = useLingui();
  const [turn, setTurn] = useState<number | null>(null);
  const { waiting } = useSnapshot();
  const isWaiting = waiting.some(({ kind }) => kind === "guess");
  const count = asked.length;
  const current = turn === null ? undefined : asked[turn];

  if (turn !== null && !current) {
    return (
      <section className={classes.asked} aria-label={t`One more question`}>
        <p role="status">
          {isWaiting ? (
            <Trans>Thank you, that was everything. Your guesses are not all stored yet.</Trans>
          ) : (
            <Trans>Thank you. Your guesses are stored, and that was everything.</Trans>
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
      {current && turn !== null ? (
        <GuessOne
          key={current.token}
          study={task.study}
          assignment={current}
          number={turn + 1}
          count={count}
          onDone={() => setTurn(turn + 1)}
        />
      ) : (
        <>
          <p>
            <Trans>
              In each pair that you compared, one side came from people and the other from a
              computer. Can one tell? Your guesses show whether the study has hidden it well.
            </Trans>
          </p>
          <p>
            <Plural
              value={count}
              one="You see one of your pairs again, and guess which side came from people. Its answer can then no longer be changed."
              other="You see # of your pairs again, and guess which side came from people. Their answers can then no longer be changed."
            />
          </p>
          <Button variant="default" onClick={() => setTurn(0)} className={classes.go}>
            <Trans>Guess</Trans>
          </Button>
        </>
      )}
    </section>
  );
}
