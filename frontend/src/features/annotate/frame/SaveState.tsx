import { Plural, Trans } from "@lingui/react/macro";
import { useSnapshot } from "~/outbox/OutboxProvider";
import { savedAt as savedInWords } from "./wording";

/** "Saved 14:03" by the server's clock, but only if nothing is waiting; otherwise what is not saved yet. */
export function SaveState({ savedAt }: { savedAt: string | null }) {
  const { waiting, isTroubled } = useSnapshot();
  if (waiting.length === 0) return savedInWords(savedAt);
  if (!isTroubled) return <Trans>Saving…</Trans>;
  const count = waiting.length;
  return (
    <Plural
      value={count}
      one="Not saved yet (# answer waiting)"
      other="Not saved yet (# answers waiting)"
    />
  );
}
