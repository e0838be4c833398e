import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect } from "react";
import type { Task } from "~/api/types";
import { Note } from "~/components/Note";
import { wordsDirection } from "~/languages/bidi";
import { type Draft, drafts } from "~/outbox/drafts";
import { seen } from "../desk/seen";
import type { Desk } from "../desk/useDesk";
import { ExpertHeader } from "../frame/ExpertFrame";
import type { Frame } from "../frame/frame";
import { PreferenceStep } from "../preferenceStep/PreferenceStep";
import { fromAnswered, type Preference, preferenceInWords } from "../preferenceStep/preference";

type Props = { desk: Desk; task: Task; slug: string; onDone: () => void };

/**
 * Step 2 of the last completed text again, with the answer given: the expert changes it or goes back.
 *
 * A first answer starts without any position. Here the earlier one is set, because it is being changed.
 */
export function ChangeLast({ desk, task, slug, onDone }: Props) {
  const { t } = useLingui();
  const { assignment, progress } = task;

  useEffect(() => {
    const back = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !document.querySelector("[role=dialog]")) onDone();
    };
    window.addEventListener("keydown", back);
    return () => window.removeEventListener("keydown", back);
  }, [onDone]);

  if (!assignment?.answered) return null;
  const number = progress.done;
  const { token } = assignment;
  const place = { owner: desk.owner, study: slug, token, step: "correction" } as const;
  const earlier = { entered: fromAnswered(assignment.answered), active_ms: 0 };
  const frame: Frame = {
    header: <ExpertHeader task={task} />,
    banner: (
      <Note>
        <bdi dir={wordsDirection()}>
          <Trans>
            <strong>You are changing your last answer.</strong> The labels that you chose stay as
            they are.
          </Trans>
        </bdi>
      </Note>
    ),
    links: (
      <button type="button" className="linklike" onClick={onDone}>
        <Trans>Back without a change</Trans>
      </button>
    ),
  };
  return (
    <PreferenceStep
      key={`${token}-correction`}
      task={task}
      assignment={assignment}
      frame={frame}
      number={number}
      submitWords={t`Save the change`}
      draft={drafts.read<Preference>(place) ?? earlier}
      onDraft={(draft: Draft<Preference>) => drafts.keep(place, draft)}
      onSubmit={({ active_ms, ...given }) => {
        const words = preferenceInWords(fromAnswered(given));
        void desk.give({
          token,
          kind: "correction",
          body: { ...given, active_ms, ...seen(task) },
          about: t`Text ${number}, changed: ${words}`,
        });
        onDone();
      }}
    />
  );
}
