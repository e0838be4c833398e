import { Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Label } from "~/api/types";
import { useStepKeys } from "../step/useStepKeys";
import { type Found, find } from "./finding";
import classes from "./LabelChips.module.css";
import { isMoveKey, moveTo } from "./moving";
import { countChosen } from "./selection";

/** With fewer labels than this, everything is in view and a search field would be clutter. */
const SEARCH_FROM = 12;

type Props = {
  labels: readonly Label[];
  task: "multilabel" | "multiclass";
  language: string;
  direction: "ltr" | "rtl";
  selected: readonly number[];
  onToggle: (position: number) => void;
  onSubmit: () => void;
};

/**
 * The labels as chips: real checkboxes (or radios), so that screen readers recognise them. Typing anywhere
 * searches, arrows move, Space chooses, Enter continues; in the search field, Enter takes the best match.
 */
export function LabelChips(props: Props) {
  const { labels, task, language, direction, selected, onToggle, onSubmit } = props;
  const { t } = useLingui();
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState<number | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const group = useRef<HTMLDivElement>(null);
  const name = useId();
  const searchable = labels.length >= SEARCH_FROM;

  const matches = find(labels, typed);
  const found = matches.map((one) => one.label);
  const foundBy = new Map(matches.map((one) => [one.label, one.by]));
  const isSearching = typed.trim() !== "";
  const best = isSearching ? found[0] : undefined;
  const bestName = best?.name;
  const plain = isSearching ? found : found.filter((label) => !label.exclusive);
  const apart = isSearching ? [] : found.filter((label) => label.exclusive);
  const ordered = [...plain, ...apart];
  const entry = ordered.find((label) => label.position === active) ?? ordered[0];

  const inputs = () => Array.from(group.current?.querySelectorAll("input") ?? []);

  function focusAt(index: number) {
    const input = inputs()[index];
    if (index < 0) field.current?.focus();
    else input?.focus();
    input?.parentElement?.scrollIntoView?.({ block: "nearest" });
  }

  function searchFromAnywhere() {
    flushSync(() => setTyped(""));
    field.current?.focus();
  }

  useStepKeys((event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      onSubmit();
    } else if (event.key === "ArrowDown" && isInSight(group.current)) {
      event.preventDefault();
      focusAt(0);
    } else if (searchable && isLetter(event.key)) {
      // The key goes to the field that has just received focus.
      searchFromAnywhere();
    }
  }, "page");

  function onFieldKey(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      if (!isSearching) onSubmit();
      else if (best) {
        if (!selected.includes(best.position)) onToggle(best.position);
        setActive(best.position);
        setTyped("");
      }
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      focusAt(0);
    } else if (event.key === "Escape" && typed !== "") {
      event.preventDefault();
      setTyped("");
    }
  }

  function onChipKey(event: KeyboardEvent<HTMLInputElement>, position: number) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = inputs();
    if (isMoveKey(event.key)) {
      event.preventDefault();
      const boxes = all.map((input) => (input.parentElement ?? input).getBoundingClientRect());
      const to = moveTo(boxes, all.indexOf(event.currentTarget), event.key, direction);
      focusAt(to < 0 && !searchable ? 0 : to);
    } else if (event.key === " ") {
      event.preventDefault();
      onToggle(position);
    } else if (event.key === "Enter") {
      event.preventDefault();
      onSubmit();
    } else if (searchable && (isLetter(event.key) || event.key === "Backspace")) {
      searchFromAnywhere();
    }
  }

  const chip = (label: Label) => (
    <label
      key={label.position}
      className={classes.chip}
      data-best={label === best || undefined}
      lang={language}
    >
      <input
        type={task === "multilabel" ? "checkbox" : "radio"}
        name={name}
        checked={selected.includes(label.position)}
        tabIndex={label === entry ? 0 : -1}
        onChange={() => onToggle(label.position)}
        onFocus={() => setActive(label.position)}
        onKeyDown={(event) => onChipKey(event, label.position)}
      />
      <FoundName found={{ label, by: foundBy.get(label) ?? null }} />
    </label>
  );

  return (
    <>
      {searchable && (
        <div className={classes.finder}>
          <div className={classes.search}>
            <input
              ref={field}
              type="text"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={onFieldKey}
              placeholder={t`Type to find`}
              aria-label={t`Type to find a label. Enter chooses the first match.`}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <span className={classes.count} aria-hidden="true">
              {best ? (
                <Trans>
                  <kbd>Enter</kbd> chooses “<bdi>{bestName}</bdi>”
                </Trans>
              ) : (
                isSearching && t`No matches`
              )}
            </span>
          </div>
          <Chosen
            labels={labels.filter((label) => selected.includes(label.position))}
            language={language}
            onRemove={onToggle}
          />
        </div>
      )}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles may be labelled; only their choice is computed */}
      <div
        ref={group}
        role={task === "multilabel" ? "group" : "radiogroup"}
        aria-labelledby="question"
        className={classes.groups}
      >
        <div className={classes.chips}>{plain.map(chip)}</div>
        {apart.length > 0 && (
          <div className={`${classes.chips} ${classes.apart}`}>{apart.map(chip)}</div>
        )}
      </div>
    </>
  );
}

/** A label's name, after the word that found it: "tenant → Housing and residential tenancies". */
function FoundName({ found: { label, by } }: { found: Found }) {
  if (by === null) return <span dir="auto">{label.name}</span>;
  return (
    <span>
      <bdi className={classes.by}>{by}</bdi> <span className={classes.arrow}>→</span>{" "}
      <bdi>{label.name}</bdi>
    </span>
  );
}

/**
 * The chosen labels, always in view, whatever is searched for and however far the page is scrolled. For the mouse
 * only; keyboard and screen reader users have the chips themselves, and hear each change.
 */
function Chosen(props: {
  labels: readonly Label[];
  language: string;
  onRemove: (position: number) => void;
}) {
  const { labels, language, onRemove } = props;
  return (
    <div className={classes.chosen} aria-hidden="true">
      <span className={classes.count}>{countChosen(labels.length)}</span>
      {labels.map((label) => (
        <button
          key={label.position}
          type="button"
          tabIndex={-1}
          lang={language}
          // The focus stays where it is, for example in the search field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onRemove(label.position)}
        >
          <span dir="auto">{label.name}</span>
          <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true">
            <path d="M2 2l8 8M10 2l-8 8" stroke="currentColor" strokeWidth="1.75" />
          </svg>
        </button>
      ))}
    </div>
  );
}

function isLetter(key: string): boolean {
  return key.length === 1 && key !== " ";
}

function isInSight(element: Element | null): boolean {
  const box = element?.getBoundingClientRect();
  return box !== undefined && box.top < window.innerHeight - 100;
}
