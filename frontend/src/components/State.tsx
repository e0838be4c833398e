import classes from "./State.module.css";
import { stateInWords } from "./words";

/** A state as a small mark: the word carries the meaning, the dot only helps the eye. */
export function State({ state }: { state: string }) {
  return (
    <span className={classes.state} data-state={state}>
      {stateInWords(state)}
    </span>
  );
}
