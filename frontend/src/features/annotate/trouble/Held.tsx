import { Trans, useLingui } from "@lingui/react/macro";
import type { Task } from "~/api/types";
import { wordsDirection } from "~/languages/bidi";
import column from "../frame/Column.module.css";
import { ExpertFrame } from "../frame/ExpertFrame";
import type { Frame } from "../frame/frame";

type Props = { study: Task["study"]; number: number; frame: Frame };

/** Step 1 was answered and is waiting to be sent; step 2 stays on the server until then. */
export function Held({ study, number, frame }: Props) {
  const { t } = useLingui();
  return (
    <ExpertFrame
      study={study}
      frame={frame}
      title={t`Text ${number}, waiting`}
      hints={null}
      message={null}
      action={null}
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
            <Trans>There is nothing more to do until then.</Trans>
          </bdi>
        </p>
      </div>
    </ExpertFrame>
  );
}
