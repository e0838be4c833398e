import { t } from "@lingui/core/macro";
import type { Demo, DemoRole } from "./calls";

export type Stop = { title: string; sentence: string; to?: string };

/** What to look at in each role, in order. A stop without an address is passed on the way to the next. */
export function stopsOf(role: DemoRole, { study, dataset }: Demo, mayRunServer: boolean): Stop[] {
  const inStudy = `/studies/${study}`;
  if (role === "expert")
    return [
      {
        title: t`Step 1: label a text`,
        sentence: t`Read it, and choose the labels that fit. You can practise first.`,
        to: `${inStudy}/annotate`,
      },
      {
        title: t`Step 2: compare A and B`,
        sentence: t`Two descriptions of the same text, without a word about where they come from: say which is more accurate, and how certain you are.`,
      },
      {
        title: t`Stop and come back`,
        sentence: t`Close the page in the middle of a text: everything is saved, and you come back to the same place.`,
      },
      {
        title: t`Your answers`,
        sentence: t`After the first texts, look at what you have answered.`,
        to: `${inStudy}/answers`,
      },
    ];
  if (role === "researcher")
    return [
      {
        title: t({ message: "Overview", context: "tab of a study" }),
        sentence: t`How far the study has got, who has answered, and what comes next.`,
        to: inStudy,
      },
      {
        title: t({ message: "Texts", context: "stop of the demo's tour" }),
        sentence: t`For every text, what people said about it, and what each system predicted.`,
        to: `/datasets/${dataset}`,
      },
      {
        title: t({ message: "Design", context: "tab of a study" }),
        sentence: t`What was decided before the first answer: the questions, how many experts judge each comparison, and what they are shown.`,
        to: `${inStudy}/design`,
      },
      {
        title: t({ message: "Results", context: "tab of a study" }),
        sentence: t`Ask which metric agrees best with the experts. The answer comes first, as a sentence; figures and tables follow.`,
        to: `${inStudy}/results`,
      },
      {
        title: t({ message: "Export", context: "tab of a study" }),
        sentence: t`Download every answer as a file, and a report that says how the answers came about.`,
        to: `${inStudy}/export`,
      },
    ];
  return [
    {
      title: t({ message: "People", context: "tab of a study" }),
      sentence: t`Invite experts, remind them, and see how far each of them has got.`,
      to: `${inStudy}/people`,
    },
    {
      title: t({ message: "Assignments", context: "tab of a study" }),
      sentence: t`Who judges which text: assign, move and unassign, and undo it if needed.`,
      to: `${inStudy}/assignments`,
    },
    {
      title: t({ message: "Problems", context: "tab of a study" }),
      sentence: t`What experts report about texts, and what you decide about it.`,
      to: `${inStudy}/problems`,
    },
    {
      title: t({ message: "History", context: "tab of a study" }),
      sentence: t`Every important action is listed here, including that you stepped into this role.`,
      to: `${inStudy}/history`,
    },
    ...(mayRunServer
      ? [
          {
            title: t({ message: "Server", context: "stop of the demo's tour" }),
            sentence: t`Who has an account on this server, and whether everything works.`,
            to: "/system/health",
          },
        ]
      : []),
  ];
}

/** The current stop: the one whose address is the longest part of the page's. */
export function stopAt(stops: Stop[], pathname: string): number {
  const here = `${pathname.replace(/\/$/, "")}/`;
  const fits = ({ to }: Stop) => (to && here.startsWith(`${to}/`) ? to.length : 0);
  const best = Math.max(0, ...stops.map(fits));
  return best === 0 ? -1 : stops.findIndex((stop) => fits(stop) === best);
}
