import { Button, Checkbox, Modal, Radio, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Assignment } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { type Reason, useSendReport } from "./calls";
import { AnswerKeys } from "./logic/answerKey";
import classes from "./ReportProblem.module.css";

const WORDS: { reason: Reason; words: string }[] = [
  { reason: "unreadable", words: "I cannot read or understand the text" },
  { reason: "distressing", words: "The text is distressing" },
  { reason: "identifies_person", words: "The text identifies a real person" },
  { reason: "other", words: "Something else" },
];

type Props = { slug: string; assignment: Assignment; opened: boolean; onClose: () => void };

/** Tells the organisers that something is wrong with a text, and skips it if wished. */
export function ReportProblem({ slug, assignment, opened, onClose }: Props) {
  const [reason, setReason] = useState<Reason | null>(null);
  const [text, setText] = useState("");
  const [skip, setSkip] = useState(false);
  const [asked, setAsked] = useState(false);
  const [keys] = useState(() => new AnswerKeys());
  const send = useSendReport(slug);

  function close() {
    if (send.isSuccess) {
      setReason(null);
      setText("");
      setAsked(false);
    }
    send.reset();
    onClose();
  }

  function submit(event?: FormEvent) {
    event?.preventDefault();
    setAsked(true);
    if (!reason || send.isPending) return;
    const { token } = assignment;
    send.mutate({ token, key: keys.for(token, reason, text, skip), reason, text, skip });
  }

  return (
    <Modal opened={opened} onClose={close} title="Report a problem" size="md">
      {send.isSuccess ? (
        <div className={classes.form}>
          <p role="status">Thank you. The organisers will see your report.</p>
          <Button onClick={close} autoFocus className={classes.send}>
            Back to the text
          </Button>
        </div>
      ) : (
        <form onSubmit={submit} className={classes.form}>
          <Radio.Group
            value={reason}
            onChange={(value) => setReason(value as Reason)}
            label="What is wrong with this text?"
            error={asked && !reason ? "Please choose what fits best." : undefined}
          >
            <div className={classes.reasons}>
              {WORDS.map((choice) => (
                <Radio key={choice.reason} value={choice.reason} label={choice.words} />
              ))}
            </div>
          </Radio.Group>
          <Textarea
            label="Anything to add (optional)"
            description="Please do not repeat names or other personal details here."
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maxLength={2000}
            autosize
            minRows={3}
          />
          <Checkbox
            checked={skip}
            onChange={(event) => setSkip(event.currentTarget.checked)}
            label="Skip this text and show me the next one"
          />
          {send.isError && (
            <ErrorNotice title="The report was not sent" error={send.error} onRetry={submit} />
          )}
          <Button type="submit" className={classes.send}>
            {send.isPending ? "Sending…" : "Send report"}
          </Button>
        </form>
      )}
    </Modal>
  );
}
