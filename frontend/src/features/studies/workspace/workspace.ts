import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useOutletContext } from "react-router";
import type { Study } from "~/api/types";

/** The study that a tab belongs to; loaded before any tab is rendered. */
export function useWorkspaceStudy(): Study {
  return useOutletContext<Study>();
}

type Tab = {
  /** Its address inside the workspace. */
  to: string;
  name: MessageDescriptor;
  /** How many things in it need attention. */
  count?: (study: Study) => number;
};

export const TABS: Tab[] = [
  { to: "", name: msg({ message: "Overview", context: "tab of a study" }) },
  { to: "design", name: msg({ message: "Design", context: "tab of a study" }) },
  { to: "people", name: msg({ message: "People", context: "tab of a study" }) },
  { to: "assignments", name: msg({ message: "Assignments", context: "tab of a study" }) },
  {
    to: "problems",
    name: msg({ message: "Problems", context: "tab of a study" }),
    count: (study) => study.counts.open_reports,
  },
  { to: "results", name: msg({ message: "Results", context: "tab of a study" }) },
  { to: "export", name: msg({ message: "Export", context: "tab of a study" }) },
  { to: "history", name: msg({ message: "History", context: "tab of a study" }) },
];

/** The tab for an address within the workspace. */
export function tabAt(pathname: string, slug: string): Tab | undefined {
  const [first = ""] = pathname.slice(`/studies/${slug}/`.length).split("/");
  return TABS.find((tab) => tab.to === first);
}
