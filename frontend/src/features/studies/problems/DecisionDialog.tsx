import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal, Textarea } from "@mantine/core";
import { useState } from "react";
import type { Report } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "../StudyPage.module.css";
import { useDecide, type Verdict } from "./reports";

const MEANS: Record<Verdict, MessageDescriptor> = {
  confirmed: msg`You confirm that the text identifies a person. Experts in all studies on this dataset will no longer get it. Answers already given are kept and marked in exports. You can restore the text later.`,
  dismissed: msg`The text stays as it is. You can still withdraw it later.`,
  shown_again: msg`Experts in all studies on this dataset will get the text again. Experts who were working on it can continue where they left off.`,
};

type Props = {
  slug: string;
  report: Report;
  verdict: Verdict | null;
  title: string;
  onClose: () => void;
};

/** Says what will happen, before it does, and takes a note. */
export function DecisionDialog({ slug, report, verdict, title, onClose }: Props) {
  const { t } = useLingui();
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
      <p>{verdict && t(MEANS[verdict])}</p>
      <Textarea
        label={t`Note (optional)`}
        description={t`Saved with the decision. Please do not repeat names here.`}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={2000}
        autosize
        minRows={2}
      />
      {decide.error && <ErrorNotice title={t`The decision was not saved`} error={decide.error} />}
      <div className={classes.buttons} data-end>
        <Button onClick={go}>{title}</Button>
        <Button variant="default" onClick={close}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </Modal>
  );
}
