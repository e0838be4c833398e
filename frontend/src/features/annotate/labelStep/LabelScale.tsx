import { useId } from "react";
import type { Label } from "~/api/types";
import { latinKey } from "../step/latinKey";
import { useStepKeys } from "../step/useStepKeys";
import classes from "./LabelScale.module.css";

type Props = {
  labels: readonly Label[];
  selected: readonly number[];
  onChoose: (position: number) => void;
  onSubmit: () => void;
};

/** An ordinal label set shown as a scale: points in order on a line, of which one is chosen. */
export function LabelScale({ labels, selected, onChoose, onSubmit }: Props) {
  const name = useId();
  useStepKeys((event) => {
    const digit = labels[Number(latinKey(event)) - 1];
    if (event.key === "Enter") {
      event.preventDefault();
      onSubmit();
    } else if (/^[1-9]$/.test(latinKey(event)) && digit) {
      onChoose(digit.position);
    }
  }, "controls");
  return (
    <div role="radiogroup" aria-labelledby="question" className={classes.scale}>
      {labels.map((label) => (
        <label key={label.position} className={classes.point}>
          <input
            type="radio"
            name={name}
            checked={selected.includes(label.position)}
            onChange={() => onChoose(label.position)}
          />
          <span dir="auto">{label.name}</span>
        </label>
      ))}
    </div>
  );
}
