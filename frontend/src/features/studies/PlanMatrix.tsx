import { Button } from "@mantine/core";
import { useState } from "react";
import type { Plan } from "~/api/types";
import classes from "./PlanMatrix.module.css";

/** The side of one cell, in the drawing's own units. */
const CELL = 10;
/** As many columns as can be told apart; more come in pages. */
const MOST_COLUMNS = 120;

/**
 * Systems by instances at a glance: a cell stands where a system is shown on an instance, and fills from
 * below with the answers. The numbers themselves are in the table below.
 */
export function PlanMatrix({ plan }: { plan: Plan }) {
  const { rows } = plan.matrix;
  const [page, setPage] = useState(0);
  // Only texts that the plan uses: eight of 1,514 would be lost among empty columns.
  const used = [...new Set(rows.flatMap(({ cells }) => cells.map((cell) => cell.instance)))];
  used.sort((one, other) => one - other);
  if (used.length === 0) return null;
  const first = page * MOST_COLUMNS;
  const shown = used.slice(first, first + MOST_COLUMNS);
  const column = new Map(shown.map((instance, place) => [instance, place]));
  const [width, height] = [shown.length * CELL, rows.length * CELL];
  return (
    <figure className={classes.figure}>
      <figcaption>
        Systems (down) by instances (across, {inWords(used.length, plan.instances)}). A cell fills
        up as its answers come in.
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.scroll} aria-label="Plan matrix" tabIndex={0}>
        <div className={classes.names} aria-hidden="true">
          {rows.map((row) => (
            <span key={row.system}>{row.system}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`${rows.length} systems by ${used.length} instances`}
          className={classes.matrix}
          style={{ blockSize: `${rows.length * 1.25}rem` }}
          preserveAspectRatio="none"
        >
          {rows.map((row, line) => (
            <g key={row.system} transform={`translate(0 ${line * CELL})`}>
              <rect className={classes.line} y={CELL - 0.5} width={width} height={0.5} />
              <path
                className={classes.planned}
                d={row.cells.map((cell) => box(column.get(cell.instance), 1)).join("")}
              />
              <path
                className={classes.done}
                d={row.cells
                  .map((cell) =>
                    box(column.get(cell.instance), cell.completed / (cell.places || 1)),
                  )
                  .join("")}
              />
            </g>
          ))}
        </svg>
      </section>
      {used.length > MOST_COLUMNS && (
        <div className={classes.pages}>
          <Button variant="default" disabled={page === 0} onClick={() => setPage(page - 1)}>
            Earlier texts
          </Button>
          <Button
            variant="default"
            disabled={first + MOST_COLUMNS >= used.length}
            onClick={() => setPage(page + 1)}
          >
            Later texts
          </Button>
          <span className="soft small">
            {first + 1} to {first + shown.length} of {used.length}
          </span>
        </div>
      )}
    </figure>
  );
}

function inWords(used: number, all: number): string {
  return used === all ? String(all) : `${used} of ${all.toLocaleString("en-GB")} are used`;
}

/** A cell's rectangle, filled from below to a share of its height. */
function box(column: number | undefined, share: number): string {
  if (column === undefined) return "";
  const full = CELL - 2;
  const high = full * Math.min(1, share);
  return high > 0 ? `M${column * CELL + 1} ${1 + full - high}h${full}v${high}h${-full}z` : "";
}
