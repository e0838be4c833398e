import classes from "./Loading.module.css";

/** Says that something is on its way, but only once the wait is long enough to be noticed. */
export function Loading({ what = "Loading…" }: { what?: string }) {
  return (
    <p className={classes.late} role="status">
      {what}
    </p>
  );
}
