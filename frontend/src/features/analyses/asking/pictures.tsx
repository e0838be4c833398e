import type { ReactNode } from "react";
import type { Result } from "~/api/types";
import classes from "./pictures.module.css";

/** A hint at what an answer will look like; the drawing adds nothing to the words beside it. */
export function QuestionPicture({ name }: { name: string }) {
  return (
    <svg viewBox="0 0 120 72" className={classes.picture} aria-hidden="true" focusable="false">
      {PICTURES[name as Result["analysis"]] ?? PLAIN}
    </svg>
  );
}

/** An estimate with its interval. */
function Estimate({ y, low, at, high }: { y: number; low: number; at: number; high: number }) {
  return (
    <>
      <line x1={low} x2={high} y1={y} y2={y} className={classes.bold} />
      <circle cx={at} cy={y} r="4" className={classes.point} />
    </>
  );
}

function Bars({
  heights,
  from = 10,
  step = 18,
}: {
  heights: number[];
  from?: number;
  step?: number;
}) {
  return heights.map((height, place) => (
    <rect
      // biome-ignore lint/suspicious/noArrayIndexKey: a drawing that never changes
      key={place}
      x={from + place * step}
      y={64 - height}
      width={step * 0.6}
      height={height}
      className={place % 2 ? classes.pale : classes.full}
    />
  ));
}

const FLOOR = <line x1="6" x2="114" y1="64" y2="64" className={classes.axis} />;

const PLAIN = (
  <>
    {FLOOR}
    <Bars heights={[18, 34, 26, 46, 38, 52]} />
  </>
);

/** An analysis without a picture here gets the plain one, so a new analysis needs no line here. */
const PICTURES: Partial<Record<Result["analysis"], ReactNode>> = {
  preference_correlation: (
    <>
      <line x1="46" x2="46" y1="6" y2="66" className={classes.axis} />
      <Estimate y={14} low={78} at={96} high={110} />
      <Estimate y={30} low={62} at={84} high={102} />
      <Estimate y={46} low={50} at={70} high={92} />
      <Estimate y={62} low={24} at={48} high={74} />
    </>
  ),
  metric_relationship: (
    <>
      {[0, 1, 2, 3].flatMap((row) =>
        [0, 1, 2, 3].map((column) => (
          <rect
            key={`${row}${column}`}
            x={32 + column * 15}
            y={6 + row * 15}
            width="13"
            height="13"
            className={
              row === column ? classes.full : (row + column) % 3 ? classes.pale : classes.faint
            }
          />
        )),
      )}
    </>
  ),
  method_ranking: (
    <>
      <rect x="12" y="8" width="92" height="11" className={classes.full} />
      <rect x="12" y="24" width="70" height="11" className={classes.pale} />
      <rect x="12" y="40" width="52" height="11" className={classes.pale} />
      <rect x="12" y="56" width="28" height="11" className={classes.pale} />
    </>
  ),
  system_scores: PLAIN,
  human_calibration: (
    <>
      <path d="M10 64 C30 64 36 14 56 14 S84 64 110 64" className={classes.line} />
      <path d="M10 64 C36 64 46 30 64 30 S96 64 110 64" className={classes.dashed} />
      {FLOOR}
    </>
  ),
  leaderboard: (
    <>
      <rect x="46" y="16" width="28" height="48" className={classes.full} />
      <rect x="16" y="30" width="28" height="34" className={classes.pale} />
      <rect x="76" y="40" width="28" height="24" className={classes.pale} />
      {FLOOR}
    </>
  ),
  agreement: (
    <>
      <circle cx="48" cy="36" r="26" className={classes.pale} />
      <circle cx="72" cy="36" r="26" className={classes.outline} />
    </>
  ),
  uncertainty: (
    <>
      <circle cx="38" cy="26" r="14" className={classes.pale} />
      <circle cx="54" cy="42" r="14" className={classes.outline} />
      <rect x="78" y="22" width="28" height="28" rx="4" className={classes.full} />
    </>
  ),
  uncertainty_simulation: (
    <>
      <path d="M10 56 C50 50 80 24 112 10" className={classes.line} />
      <path d="M10 50 C50 48 80 40 112 36" className={classes.dashed} />
      {FLOOR}
    </>
  ),
  study_quality: (
    <>
      {[14, 32, 50].map((y, place) => (
        <g key={y}>
          <circle cx="16" cy={y + 4} r="6" className={classes.pale} />
          <rect x="30" y={y} width="80" height="9" rx="4" className={classes.faint} />
          <rect x="30" y={y} width={76 - place * 24} height="9" rx="4" className={classes.full} />
        </g>
      ))}
    </>
  ),
  power: (
    <>
      <path d="M10 62 C44 62 48 12 110 12" className={classes.line} />
      <line x1="10" x2="110" y1="24" y2="24" className={classes.dashed} />
      {FLOOR}
    </>
  ),
};
