import { KeyHint } from "~/components/KeyHint";
import classes from "./AnswerChoice.module.css";
import { ANSWERS, type Answer } from "./logic/preference";

type Props = { answer: Answer | null; onAnswer: (answer: Answer) => void };

/** A, B, both, neither: four answers of the same size, none of them the default. */
export function AnswerChoice({ answer, onAnswer }: Props) {
  return (
    <div id="answers" role="radiogroup" aria-labelledby="question" className={classes.answers}>
      {ANSWERS.map((choice) => (
        <label key={choice.answer} className={classes.answer}>
          <input
            type="radio"
            name="answer"
            value={choice.answer}
            checked={answer === choice.answer}
            onChange={() => onAnswer(choice.answer)}
            aria-keyshortcuts={choice.key}
          />
          <span>{choice.words}</span>
          <KeyHint name={choice.key} />
        </label>
      ))}
    </div>
  );
}
