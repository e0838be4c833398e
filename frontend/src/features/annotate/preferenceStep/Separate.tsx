import { Trans, useLingui } from "@lingui/react/macro";
import { useDirection } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { percent } from "~/languages/formats";
import type { Drawn } from "./Aligned";
import classes from "./Chart.module.css";
import { largest, listOf, type Side } from "./rows";

/**
 * Two lists, each in the order of its own values, as drawn in the original study. Pointing at a label, or reaching
 * it with the arrow keys, marks it on both sides.
 */
export function Separate(props: Drawn & { identical: boolean }) {
  const { study, rows, folded, meaning, chosen, onChoose, identical } = props;
  const { t } = useLingui();
  const { dir } = useDirection();
  const [marked, setMarked] = useState<string | null>(null);
  const sides: readonly Side[] = identical ? ["a"] : ["a", "b"];
  return (
    // A stays on the left in every language; within a side, the study's own direction applies.
    <div className={classes.separate} data-same={identical || undefined} dir="ltr">
      <p className={classes.meaning} lang={study.language} dir="auto">
        {meaning}
      </p>
      {sides.map((side) => {
        const letter = side.toUpperCase();
        const list = listOf(side, rows, study.task);
        const hasNone = list.every((row) => row[side] === 0);
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: a larger target for the mouse; the answers below are the controls
          <section
            key={side}
            dir={dir}
            data-side={identical ? "same" : side}
            data-chosen={chosen.includes(side) || undefined}
            aria-label={identical ? t`Sides A and B` : t`Side ${letter}`}
            onClick={() => onChoose?.(side)}
          >
            <h2>
              {(identical ? ["A", "B"] : [letter]).map((one) => (
                <span key={one} className={classes.letter}>
                  {one}
                </span>
              ))}
            </h2>
            {hasNone && (
              <p className={classes.none}>
                <Trans>no share large enough to show</Trans>
              </p>
            )}
            <ul onKeyDown={moveAmongRows}>
              {list.map((row, index) => (
                <li
                  key={row.label}
                  data-largest={largest(row)}
                  data-folded={folded > 0 && largest(row) <= folded ? "" : undefined}
                  data-marked={marked === row.label || undefined}
                  // A label focused by keyboard is marked on both sides.
                  tabIndex={index === 0 ? 0 : -1}
                  onPointerEnter={() => setMarked(row.label)}
                  onPointerLeave={() => setMarked(null)}
                  onFocus={() => setMarked(row.label)}
                  onBlur={() => setMarked(null)}
                >
                  <span className={classes.label} lang={study.language} dir="auto">
                    {row.label}
                  </span>
                  <span className={classes.track} aria-hidden="true">
                    <i style={{ inlineSize: `${row[side] * 100}%` }} />
                  </span>
                  <span className={classes.value}>{row[side] > 0 ? percent(row[side]) : ""}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

/** The arrow keys move from label to label within a list. */
function moveAmongRows(event: KeyboardEvent<HTMLUListElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const rows = Array.from(
    event.currentTarget.querySelectorAll<HTMLElement>("li:not([data-folded])"),
  );
  const next = rows[rows.indexOf(event.target as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
