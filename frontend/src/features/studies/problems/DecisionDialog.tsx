import { Button, Modal, Textarea } from "@mantine/core";
import { useState } from "react";
import type { Report } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "../StudyPage.module.css";
import { useDecide, type Verdict } from "./reports";

const MEANS: Record<Verdict, string> = {
  confirmed:
    "You say that the text identifies a person. No expert of any study on this dataset gets it any more. What was answered stays, and is marked in exports. You can show the text again later.",
  dismissed: "The text stays as it is. You can still withdraw it later.",
  shown_again:
    "Experts get the text again, in every study on this dataset. Who had it in hand goes on where they were.",
};

type Props = {
  slug: string;
  report: Report;
  verdict: Verdict | null;
  title: string;
  onClose: () => void;
};

/** Says what follows before it happens, and takes a note. */
export function DecisionDialog({ slug, report, verdict, title, onClose }: Props) {
  const [note, setNote] = useState("");
  const decide = useDecide(slug);

  function close() {
    decide.reset();
    setNote("");
    onClose();
  }

  function go() {
    if (verdict && !decide.isPending) {
      decide.mutate({ id: report.id, verdict, note }, { onSuccess: close });
    }
  }

  return (
    <Modal opened={verdict !== null} onClose={close} title={title}>
      <p>{verdict && MEANS[verdict]}</p>
      <Textarea
        label="Note (optional)"
        description="Kept with the decision. Please do not repeat names here."
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={2000}
        autosize
        minRows={2}
      />
      {decide.error && <ErrorNotice title="Nothing was decided" error={decide.error} />}
      <div className={classes.buttons} data-end>
        <Button onClick={go}>{title}</Button>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
      </div>
    </Modal>
  );
}
