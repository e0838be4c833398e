import { Slider } from "@mantine/core";
import type { KeyboardEvent } from "react";
import { KeyHint } from "~/components/KeyHint";
import classes from "./CertaintyScale.module.css";
import { Face } from "./Face";
import { CERTAINTY_WORDS, MIDDLE, nearestWord, slid } from "./logic/preference";

type Props = {
  certainty: number | null;
  onCertainty: (certainty: number) => void;
  direction: "ltr" | "rtl";
};

/** How certain, from 0 to 100. Until somebody touches it there is no value, and none is shown. */
export function CertaintyScale({ certainty, onCertainty, direction }: Props) {
  const nearest = certainty === null ? null : nearestWord(certainty);

  function onKey(event: KeyboardEvent) {
    if (!(event.target instanceof Element && event.target.closest("[role=slider]"))) return;
    const next = slid(certainty, event.key, direction);
    if (next === null || (next === certainty && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    onCertainty(next);
  }

  return (
    // Before the slider's own handler: its steps of one would take a hundred key presses.
    <section id="certainty" aria-labelledby="how-certain" onKeyDownCapture={onKey}>
      <h2 id="how-certain">
        <bdi>How certain are you?</bdi>
      </h2>
      <div className={classes.scale}>
        <Slider
          className={classes.slider}
          classNames={{
            track: classes.track ?? "",
            bar: classes.bar ?? "",
            thumb: classes.thumb ?? "",
          }}
          data-untouched={certainty === null || undefined}
          value={certainty ?? MIDDLE}
          onChange={onCertainty}
          label={null}
          size={8}
          thumbSize={28}
          thumbLabel="How certain are you, from guessing to certain"
          thumbValueText={
            certainty === null || nearest === null
              ? "not answered"
              : `${CERTAINTY_WORDS[nearest]}, ${certainty} of 100`
          }
        />
        <div className={classes.words}>
          {CERTAINTY_WORDS.map((word, index) => (
            <button
              key={word}
              type="button"
              tabIndex={-1}
              data-near={nearest === index || undefined}
              onClick={() => onCertainty(index * 25)}
            >
              <Face mood={index} />
              <span className={classes.word}>
                {word} <KeyHint name={index + 1} />
              </span>
            </button>
          ))}
        </div>
      </div>
    </section>
  );
}
