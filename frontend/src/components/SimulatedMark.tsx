import { useLingui } from "@lingui/react/macro";
import classes from "./SimulatedMark.module.css";

/** Shown wherever numbers come, even in part, from simulated people or systems. */
export function SimulatedMark({ what }: { what?: string }) {
  const { t } = useLingui();
  return <span className={classes.mark}>{what ?? t`Simulated data`}</span>;
}
