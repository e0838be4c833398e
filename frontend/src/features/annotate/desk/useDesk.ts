import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Next, Task } from "~/api/types";
import { drafts } from "~/outbox/drafts";
import type { Answer, Entry } from "~/outbox/entry";
import { useOutbox, useSnapshot } from "~/outbox/OutboxProvider";
import { aheadKey, taskKey, useAhead, useTask } from "./calls";
import { afterStored, isBehind, saying, screenOf } from "./desk";
import { justSkipped } from "./skipping";

/** One expert in one study: what is in hand, what is waiting, and therefore what is shown. */
export function useDesk(slug: string) {
  const client = useQueryClient();
  const outbox = useOutbox();
  const { owner } = outbox;
  const snapshot = useSnapshot();
  const task = useTask(owner, slug);
  const [focus, setFocus] = useState<string | null>(null);
  const ofStudy = (entries: readonly Entry[]) => entries.filter((entry) => entry.study === slug);
  const [waiting, stored] = [ofStudy(snapshot.waiting), ofStudy(snapshot.stored)];
  const inHand = task.data?.assignment?.token ?? null;
  const ahead = useAhead(owner, slug, inHand);

  useEffect(() => {
    const key = taskKey(owner, slug);
    const ask = () => void client.invalidateQueries({ queryKey: key });
    const ends = [
      outbox.onStored((entry, answer) => {
        if (entry.study !== slug) return;
        const before = client.getQueryData<Task>(key);
        const itsAhead = aheadKey(owner, slug, before?.assignment?.token ?? "");
        const hand = { task: before, ahead: client.getQueryData<Next>(itsAhead) };
        const after = afterStored(hand, entry, answer);
        if (after.ahead) client.setQueryData(itsAhead, after.ahead);
        if (after.task) client.setQueryData(key, after.task);
        if (after.isStale) ask();
        const step = STEPS[entry.kind];
        drafts.forget({ owner, study: slug, token: entry.token, ...(step && { step }) });
      }),
      outbox.onRefused(ask),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [client, outbox, owner, slug]);

  const screen = screenOf({
    task: snapshot.isReady ? task.data : undefined,
    ahead: ahead.data,
    waiting,
    stored,
    focus,
    isTroubled: snapshot.isTroubled,
    isLost: task.isError,
  });
  const shown = screen.show === "step" ? screen.assignment.token : null;
  if (shown && shown !== focus) setFocus(shown);

  // Nothing stays here of texts no longer in hand (given back, or answered on another device).
  const second = ahead.data && (ahead.data.assignment?.token ?? "");
  const ofWaiting = waiting.map(({ token }) => token).join(" ");
  useEffect(() => {
    if (inHand === null || second === undefined) return;
    const needed = [inHand, second, ...ofWaiting.split(" ")].filter(Boolean);
    drafts.forget({ owner, study: slug }, needed);
  }, [owner, slug, inHand, second, ofWaiting]);

  const isOutOfDate = isBehind(screen, { task: task.data, waiting, stored });
  useEffect(() => {
    if (!isOutOfDate || task.isFetching || task.isError) return;
    const timer = setTimeout(() => void task.refetch(), A_MOMENT_MS);
    return () => clearTimeout(timer);
  }, [isOutOfDate, task]);

  return {
    owner,
    screen,
    /** The status of a text that was just skipped. */
    skipped: justSkipped(stored, waiting, snapshot.isTroubled),
    snapshot,
    task,
    /** Whether a step of an assignment was answered, whatever happened to it since. */
    isGiven: (token: string, kind: string) =>
      [...waiting, ...stored].some((entry) => entry.token === token && entry.kind === kind),
    give: (answer: Omit<Answer, "study">) =>
      outbox.add({ ...saying(answer, ahead.data), study: slug }),
  };
}

export type Desk = ReturnType<typeof useDesk>;

const A_MOMENT_MS = 300;

/** Which step's draft an answer makes unnecessary; every step's if none is named. */
const STEPS: Record<string, number | "correction"> = {
  labels: 1,
  preference: 2,
  correction: "correction",
};
