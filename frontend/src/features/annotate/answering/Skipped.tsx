import { Trans } from "@lingui/react/macro";
import { Note } from "~/components/Note";
import { wordsDirection } from "~/languages/bidi";
import type { Skipped as WhatBecameOfIt } from "../desk/skipping";

type Props = {
  what: WhatBecameOfIt;
  /** Whether another text is shown below. */
  isNextHere: boolean;
};

/** After a text was skipped: what was saved, and what happens to the text. */
export function Skipped({ what, isNextHere }: Props) {
  return (
    <Note live>
      <bdi dir={wordsDirection()}>
        {what === "saved" ? (
          <Trans>
            <strong>You have skipped a text, and your report is saved.</strong> That text will not
            come back, and it does not count as done.
          </Trans>
        ) : what === "waits" ? (
          <Trans>
            <strong>You have skipped a text.</strong> Your report has not been sent yet. It will be
            sent as soon as the server can be reached.
          </Trans>
        ) : (
          <Trans>
            <strong>You have skipped a text.</strong> Your report is being saved.
          </Trans>
        )}{" "}
        {isNextHere && <Trans>Here is the next text.</Trans>}
      </bdi>
    </Note>
  );
}
