import { Trans, useLingui } from "@lingui/react/macro";
import type { Task } from "~/api/types";
import { percent } from "~/languages/formats";
import classes from "./Chart.module.css";
import { largest, type Row, type Side } from "./rows";

export type Drawn = {
  study: Task["study"];
  rows: readonly Row[];
  /** Rows with no bar above this are folded. */
  folded: number;
  /** What a bar is. */
  meaning: string;
  chosen: readonly Side[];
  onChoose?: ((side: Side) => void) | undefined;
};

/** One chart: a row for each label, A's bar to the left of it and B's to the right. */
export function Aligned({ study, rows, folded, meaning, chosen, onChoose }: Drawn) {
  const { t } = useLingui();
  const none = { a: rows.every((row) => row.a === 0), b: rows.every((row) => row.b === 0) };
  const head = (side: Side) => {
    const letter = side.toUpperCase();
    return (
      <th
        colSpan={2}
        scope="colgroup"
        data-side={side}
        aria-label={t`Side ${letter}`}
        // A click is a shortcut for the mouse.
        onClick={() => onChoose?.(side)}
      >
        <span className={classes.head}>
          <span className={classes.letter}>{letter}</span>
          {none[side] && (
            <span className={classes.none}>
              <Trans>no share large enough to show</Trans>
            </span>
          )}
        </span>
      </th>
    );
  };
  const bar = (side: Side, value: number) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a larger target for the mouse; the answers below are the controls
    <td data-side={side} onClick={() => onChoose?.(side)} className={classes.bar}>
      <span className={classes.track} aria-hidden="true">
        <i style={{ inlineSize: `${value * 100}%` }} />
      </span>
    </td>
  );
  const number = (side: Side, value: number) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <td data-side={side} onClick={() => onChoose?.(side)} className={classes.value}>
      {value > 0 ? percent(value) : ""}
    </td>
  );
  return (
    <table className={classes.aligned} data-chosen={chosen.join(" ")} dir="ltr">
      <colgroup>
        <col className={classes.values} />
        <col />
        <col className={classes.labels} />
        <col />
        <col className={classes.values} />
      </colgroup>
      <thead>
        <tr>
          {head("a")}
          <th scope="col" lang={study.language} dir="auto" className={classes.meaning}>
            {meaning}
          </th>
          {head("b")}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={row.label}
            data-largest={largest(row)}
            data-folded={folded > 0 && largest(row) <= folded ? "" : undefined}
          >
            {number("a", row.a)}
            {bar("a", row.a)}
            <th scope="row" lang={study.language} dir="auto">
              {row.label}
            </th>
            {bar("b", row.b)}
            {number("b", row.b)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
