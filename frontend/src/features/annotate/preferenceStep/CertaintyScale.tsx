import { Trans, useLingui } from "@lingui/react/macro";
import { Slider } from "@mantine/core";
import type { KeyboardEvent } from "react";
import { KeyHint } from "~/components/KeyHint";
import classes from "./CertaintyScale.module.css";
import { CERTAINTY_WORDS, MIDDLE, nearestWord, slid } from "./preference";

type Props = {
  certainty: number | null;
  onCertainty: (certainty: number) => void;
  direction: "ltr" | "rtl";
  /** In the study's own words and language; empty: the page's. */
  question: string;
  language: string;
};

/** How certain, from 0 to 100. Until it is touched there is no value, and none is shown. */
export function CertaintyScale({ certainty, onCertainty, direction, question, language }: Props) {
  const { t } = useLingui();
  const nearest = certainty === null ? null : nearestWord(certainty);
  const nearestWords = nearest === null ? undefined : CERTAINTY_WORDS[nearest];
  const word = nearestWords && t(nearestWords);

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
    <section
      id="certainty"
      aria-labelledby="how-certain"
      className={classes.certainty}
      onKeyDownCapture={onKey}
    >
      <h2 id="how-certain" data-own={question !== "" || undefined}>
        <bdi lang={question ? language : undefined}>
          {question || <Trans>How certain are you?</Trans>}
        </bdi>
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
          thumbLabel={question || t`How certain are you, from guessing to certain`}
          thumbValueText={word === undefined ? t`not answered` : t`${word}, ${certainty} of 100`}
        />
        <div className={classes.words}>
          {CERTAINTY_WORDS.map((words, index) => (
            <button
              key={words.id}
              type="button"
              tabIndex={-1}
              data-near={nearest === index || undefined}
              onClick={() => onCertainty(index * 25)}
            >
              {t(words)} <KeyHint name={index + 1} />
            </button>
          ))}
        </div>
      </div>
    </section>
  );
}
