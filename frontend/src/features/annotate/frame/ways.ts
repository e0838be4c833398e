import { createContext, type ReactNode, useContext } from "react";

/** Where an expert's page leads, and what stands above it. A preview leads elsewhere, and says what it is. */
export type Ways = {
  /** Where the study's title leads; in words where that is not the list of studies. */
  home: { to: string; title?: string };
  practice: (slug: string) => string;
  above?: ReactNode;
  /** What is said of a report where none is sent. */
  reported?: ReactNode;
};

const EXPERTS: Ways = {
  home: { to: "/" },
  practice: (slug) => `/studies/${slug}/practice`,
};

export const WaysContext = createContext<Ways>(EXPERTS);

export function useWays(): Ways {
  return useContext(WaysContext);
}
