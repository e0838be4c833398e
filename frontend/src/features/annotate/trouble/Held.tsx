import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import type { Task } from "~/api/types";
import { wordsDirection } from "~/languages/bidi";
import column from "../frame/Column.module.css";
import { ExpertFrame } from "../frame/ExpertFrame";
import type { Frame } from "../frame/frame";

type Props = {
  study: Task["study"];
  number: number;
  frame: Frame;
  /** Leads to the next text, if one is already here. */
  onGoOn: (() => void) | null;
};

/** Step 1 was answered and is waiting to be sent; step 2 stays on the server until then. */
export function Held({ study, number, frame, onGoOn }: Props) {
  const { t } = useLingui();
  return (
    <ExpertFrame
      study={study}
      frame={frame}
      title={t`Text ${number}, waiting`}
      hints={null}
      message={null}
      action={
        onGoOn && (
          <Button onClick={onGoOn} autoFocus>
            <Trans>Continue with the next text</Trans>
          </Button>
        )
      }
    >
      <div className={column.main}>
        <h1>
          <bdi dir={wordsDirection()}>
            <Trans>Step 2 of text {number} waits for the connection</Trans>
          </bdi>
        </h1>
        <p>
          <bdi dir={wordsDirection()}>
            <Trans>
              The labels that you chose are still on this device. As soon as they are saved, step 2
              opens by itself.
            </Trans>
          </bdi>
        </p>
        <p>
          <bdi dir={wordsDirection()}>
            {onGoOn ? (
              <Trans>Until then you can continue with the next text.</Trans>
            ) : (
              <Trans>There is nothing more to do until then.</Trans>
            )}
          </bdi>
        </p>
      </div>
    </ExpertFrame>
  );
}
