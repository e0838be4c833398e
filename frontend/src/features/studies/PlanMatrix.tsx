import type { Plan } from "~/api/types";
import classes from "./PlanMatrix.module.css";

/** The side of one cell, in the drawing's own units. */
const CELL = 10;

/**
 * Systems by instances at a glance: a cell stands where a system is shown on an instance, and fills from
 * below with the answers. The numbers themselves are in the table below.
 */
export function PlanMatrix({ plan }: { plan: Plan }) {
  const { rows } = plan.matrix;
  if (rows.length === 0 || plan.instances === 0) return null;
  const [width, height] = [plan.instances * CELL, rows.length * CELL];
  return (
    <figure className={classes.figure}>
      <figcaption>
        Systems (down) by instances (across, {plan.instances}). A cell fills up as its answers come
        in.
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
          aria-label={`${rows.length} systems by ${plan.instances} instances`}
          className={classes.matrix}
          style={{ blockSize: `${rows.length * 1.25}rem` }}
          preserveAspectRatio="none"
        >
          {rows.map((row, line) => (
            <g key={row.system} transform={`translate(0 ${line * CELL})`}>
              <rect className={classes.line} y={CELL - 0.5} width={width} height={0.5} />
              <path
                className={classes.planned}
                d={row.cells.map((cell) => box(cell.instance, 1)).join("")}
              />
              <path
                className={classes.done}
                d={row.cells
                  .map((cell) => box(cell.instance, cell.completed / (cell.places || 1)))
                  .join("")}
              />
            </g>
          ))}
        </svg>
      </section>
    </figure>
  );
}

/** A cell's rectangle, filled from below to a share of its height. */
function box(column: number, share: number): string {
  const full = CELL - 2;
  const high = full * Math.min(1, share);
  return high > 0 ? `M${column * CELL + 1} ${1 + full - high}h${full}v${high}h${-full}z` : "";
}
