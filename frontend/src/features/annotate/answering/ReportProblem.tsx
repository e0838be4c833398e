import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Radio, Textarea } from "@mantine/core";
import { type FormEvent, useRef, useState } from "react";
import { Dialog } from "~/components/Dialog";
import type { Entry } from "~/outbox/entry";
import { useSnapshot } from "~/outbox/OutboxProvider";
import { useWays } from "../frame/ways";
import classes from "./ReportProblem.module.css";

type Reason = "unreadable" | "distressing" | "identifies_person" | "other";
export type ProblemGiven = { reason: Reason; text: string; skip: boolean };

const WORDS: { reason: Reason; words: MessageDescriptor }[] = [
  { reason: "unreadable", words: msg`I cannot read or understand the text` },
  { reason: "distressing", words: msg`The text is distressing` },
  { reason: "identifies_person", words: msg`The text identifies a real person` },
  { reason: "other", words: msg`Something else` },
];

type Props = {
  opened: boolean;
  onClose: () => void;
  /** Takes the report, and returns the key under which it is sent. */
  onReport: (report: ProblemGiven) => Promise<Pick<Entry, "id">>;
};

/** Tells the organisers that something is wrong with a text and, optionally, skips it. */
export function ReportProblem({ opened, onClose, onReport }: Props) {
  const { t } = useLingui();
  const [reason, setReason] = useState<Reason | null>(null);
  const [text, setText] = useState("");
  const [skip, setSkip] = useState(false);
  const [asked, setAsked] = useState(false);
  const [given, setGiven] = useState<string | null>(null);
  const isGiving = useRef(false);

  function close() {
    if (given) {
      setReason(null);
      setText("");
      setAsked(false);
      setGiven(null);
    }
    onClose();
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    setAsked(true);
    if (!reason || isGiving.current) return;
    isGiving.current = true;
    const { id } = await onReport({ reason, text, skip });
    isGiving.current = false;
    setGiven(id);
  }

  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={t`Report a problem`}
      size="md"
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      {given ? (
        <div className={classes.form}>
          <WhatBecameOfIt id={given} />
          <Button onClick={close} autoFocus className={classes.send}>
            <Trans>Back to the text</Trans>
          </Button>
        </div>
      ) : (
        <form onSubmit={submit} className={classes.form}>
          <Radio.Group
            value={reason}
            onChange={(value) => setReason(value as Reason)}
            label={t`What is wrong with this text?`}
            error={asked && !reason ? t`Please choose what fits best.` : undefined}
          >
            <div className={classes.reasons}>
              {WORDS.map((choice) => (
                <Radio key={choice.reason} value={choice.reason} label={t(choice.words)} />
              ))}
            </div>
          </Radio.Group>
          <Textarea
            label={t`Anything to add (optional)`}
            description={t`Please do not repeat names or other personal details here.`}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maxLength={2000}
            autosize
            minRows={3}
          />
          <Checkbox
            checked={skip}
            onChange={(event) => setSkip(event.currentTarget.checked)}
            label={t`Skip this text and show me the next one`}
            description={t`It will not come back, and it does not count as done.`}
          />
          <Button type="submit" className={classes.send}>
            <Trans>Send report</Trans>
          </Button>
        </form>
      )}
    </Dialog>
  );
}

/** A report's status: the organisers see it once it is stored, and nothing more is claimed. */
function WhatBecameOfIt({ id }: { id: string }) {
  const { waiting, refused, isTroubled } = useSnapshot();
  const { reported } = useWays();
  const no = refused.find((entry) => entry.id === id)?.refused?.detail;
  const isWaiting = waiting.some((entry) => entry.id === id);
  if (reported) return <p role="status">{reported}</p>;
  return (
    <p role="status">
      {no ? (
        <Trans>The report was not accepted. {no}</Trans>
      ) : !isWaiting ? (
        <Trans>Thank you. The organisers will see your report.</Trans>
      ) : isTroubled ? (
        <Trans>
          Your report has not been sent yet. It will be sent as soon as the server can be reached.
        </Trans>
      ) : (
        <Trans>Sending…</Trans>
      )}
    </p>
  );
}
