import type { ReactNode } from "react";
import classes from "./Fold.module.css";

/** More than this many rows would push what follows out of sight. */
const SHORT = 8;

type Props = { title: string; rows: number; children: ReactNode };

/** A long table behind its title; a short one is open from the start. */
export function Fold({ title, rows, children }: Props) {
  return (
    <details className={classes.fold} open={rows <= SHORT}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
