import classes from "./SimulatedMark.module.css";

/** Stands wherever numbers come, even in part, from simulated people or systems. */
export function SimulatedMark() {
  return <span className={classes.mark}>Simulated data</span>;
}
