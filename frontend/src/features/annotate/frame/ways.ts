import { createContext, type ReactNode, useContext } from "react";

/** Where an expert's page leads, and what is shown above it. A preview leads elsewhere, and says that it is one. */
export type Ways = {
  /** Where the study's title leads, in words if that is not the list of studies. */
  home: { to: string; title?: string };
  practice: (slug: string) => string;
  above?: ReactNode;
  /** What is said about a report if none is sent. */
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
