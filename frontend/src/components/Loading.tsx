import { useLingui } from "@lingui/react/macro";
import classes from "./Loading.module.css";

/** Says that something is loading, but only once the wait is long enough to be noticed. */
export function Loading({ what }: { what?: string }) {
  const { t } = useLingui();
  return (
    <p className={classes.late} role="status" data-loading>
      {what ?? t`Loading…`}
    </p>
  );
}
