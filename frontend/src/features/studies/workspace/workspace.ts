import { useOutletContext } from "react-router";
import type { Study } from "~/api/types";

/** The study whose workspace a tab stands in; loaded before any tab is drawn. */
export function useWorkspaceStudy(): Study {
  return useOutletContext<Study>();
}

type Tab = {
  /** Its address inside the workspace. */
  to: string;
  name: string;
  /** How many things in it wait for somebody. */
  count?: (study: Study) => number;
};

export const TABS: Tab[] = [
  { to: "", name: "Overview" },
  { to: "design", name: "Design" },
  { to: "people", name: "People" },
  { to: "assignments", name: "Assignments" },
  { to: "problems", name: "Problems", count: (study) => study.counts.open_reports },
  { to: "results", name: "Results" },
  { to: "export", name: "Export" },
  { to: "history", name: "History" },
];

/** The name of the tab that an address inside the workspace belongs to. */
export function tabAt(pathname: string, slug: string): string {
  const [first = ""] = pathname.slice(`/studies/${slug}/`.length).split("/");
  return TABS.find((tab) => tab.to === first)?.name ?? "";
}
