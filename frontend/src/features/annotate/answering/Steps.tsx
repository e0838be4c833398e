import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import type { Assignment, Task } from "~/api/types";
import { Loading } from "~/components/Loading";
import { later } from "~/components/later";
import { isolated } from "~/languages/bidi";
import { type Draft, drafts, type Place } from "~/outbox/drafts";
import type { Answer, Entry } from "~/outbox/entry";
import { seen } from "../desk/seen";
import type { Desk } from "../desk/useDesk";
import type { Frame } from "../frame/frame";
import { LabelStep } from "../labelStep/LabelStep";
import { fromAnswered, type Preference, preferenceInWords } from "../preferenceStep/preference";

const PreferenceStep = later(
  () => import("../preferenceStep/PreferenceStep").then((part) => part.PreferenceStep),
  <Loading />,
);
const ReportProblem = later(() => import("./ReportProblem").then((part) => part.ReportProblem));

/** Where answers go: to the outbox or, in a preview, nowhere. */
export type AnswerDesk = Pick<Desk, "owner" | "isGiven"> & {
  give: (answer: Omit<Answer, "study">) => Promise<Pick<Entry, "id">>;
};

type Props = {
  desk: AnswerDesk;
  slug: string;
  task: Task;
  assignment: Assignment;
  number: number;
  isBusy: boolean;
  header: ReactNode;
  banner: ReactNode;
  /** Other things the expert can do here. */
  links: ReactNode;
};

/** The open step, what surrounds it, and where its answer and its draft go. */
export function Steps(props: Props) {
  const { desk, slug, task, assignment, number, isBusy, header, banner, links } = props;
  const { t } = useLingui();
  const [reporting, setReporting] = useState(false);
  const { token, step } = assignment;

  const place: Place = { owner: desk.owner, study: slug, token, step };
  const keep = (draft: Draft<unknown>) => {
    // An answer that was given needs no draft, and must not get one when the step is unmounted.
    if (!desk.isGiven(token, step === 1 ? "labels" : "preference")) drafts.keep(place, draft);
  };

  const frame: Frame = {
    header,
    banner,
    links: (
      <>
        <button type="button" className="linklike" onClick={() => setReporting(true)}>
          <Trans>Report a problem</Trans>
        </button>
        {links}
      </>
    ),
  };
  const common = { task, assignment, frame, number, isBusy, onDraft: keep };
  return (
    <>
      {step === 1 ? (
        <LabelStep
          {...common}
          draft={drafts.read<number[]>(place)}
          onSubmit={({ labels, active_ms }) => {
            const names = task.study.labels.filter((label) => labels.includes(label.position));
            const words = names.map((label) => isolated(label.name)).join(" · ");
            void desk.give({
              token,
              kind: "labels",
              body: { labels, active_ms, ...seen(task) },
              about: t`Text ${number}, step 1: ${words}`,
            });
          }}
        />
      ) : (
        <PreferenceStep
          {...common}
          draft={drafts.read<Preference>(place)}
          onSubmit={(given) => {
            const words = preferenceInWords(fromAnswered(given));
            void desk.give({
              token,
              kind: "preference",
              body: { ...given, ...seen(task) },
              about: t`Text ${number}, step 2: ${words}`,
            });
          }}
        />
      )}
      <ReportProblem
        opened={reporting}
        onClose={() => setReporting(false)}
        onReport={(report) =>
          desk.give({
            token,
            kind: "report",
            body: report,
            about: t`Text ${number}, report`,
          })
        }
      />
    </>
  );
}
