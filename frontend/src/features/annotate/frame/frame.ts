import type { ReactNode } from "react";

/** What surrounds a step, provided by the page that shows it. */
export type Frame = {
  /** Title and progress, always in place. */
  header: ReactNode;
  /** Other things the expert can do here, such as reporting a problem. */
  links?: ReactNode;
  /** What the expert should know before reading on, such as a lost connection. */
  banner?: ReactNode;
};
