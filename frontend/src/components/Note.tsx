import type { ReactNode } from "react";
import classes from "./Notice.module.css";

/** Something worth knowing that is not an error. */
export function Note({ children, live = false }: { children: ReactNode; live?: boolean }) {
  return (
    <div className={classes.notice} role={live ? "status" : undefined}>
      <div>{children}</div>
    </div>
  );
}
