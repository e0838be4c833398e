import { useLingui } from "@lingui/react/macro";
import { useDirection } from "@mantine/core";
import { KeyHint } from "~/components/KeyHint";
import classes from "./AnswerChoice.module.css";
import { type Answer, answersTo } from "./preference";

type Props = {
  answer: Answer | null;
  onAnswer: (answer: Answer) => void;
  /** Whether both sides look the same, so that neither can be preferred. */
  identical: boolean;
};

/** A, B, both, neither: answers of the same size, none of them the default. */
export function AnswerChoice({ answer, onAnswer, identical }: Props) {
  const { t } = useLingui();
  const { dir } = useDirection();
  return (
    <div
      id="answers"
      role="radiogroup"
      aria-labelledby={identical ? "question same" : "question"}
      className={classes.answers}
      data-two={identical || undefined}
      // A stays on the left in every language, as in the chart.
      dir="ltr"
    >
      {answersTo(identical).map((choice) => (
        <label key={choice.answer} className={classes.answer} dir={dir}>
          <input
            type="radio"
            name="answer"
            value={choice.answer}
            checked={answer === choice.answer}
            onChange={() => onAnswer(choice.answer)}
            aria-keyshortcuts={choice.key}
            aria-label={t(choice.words)}
          />
          <span className={classes.words}>{t(choice.words)}</span>
          <span className={classes.word}>{t(choice.word)}</span>
          <KeyHint name={choice.key} />
        </label>
      ))}
    </div>
  );
}
