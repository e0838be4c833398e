import classes from "./SimulatedMark.module.css";

/** Stands wherever numbers come, even in part, from simulated people or systems. */
export function SimulatedMark({ what = "Simulated data" }: { what?: string }) {
  return <span className={classes.mark}>{what}</span>;
}
