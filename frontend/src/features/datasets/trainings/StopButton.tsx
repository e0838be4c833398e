import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import classes from "./Trainings.module.css";

type Props = { isActing: boolean; onStop: () => void; onClosed: () => void };

/** Asks once, and says that nothing is lost. */
export function StopButton({ isActing, onStop, onClosed }: Props) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button variant="default" disabled={isActing} onClick={() => setAsking(true)}>
        {isActing ? t`Stopping…` : t`Stop…`}
      </Button>
      <Modal
        opened={asking}
        onClose={() => setAsking(false)}
        onExitTransitionEnd={onClosed}
        title={t`Stop this training?`}
      >
        <p>
          <Trans>
            What is finished stays. You can resume it later: each model goes on from its last epoch.
          </Trans>
        </p>
        <div className={classes.acts} data-end>
          <Button
            data-autofocus
            onClick={() => {
              setAsking(false);
              onStop();
            }}
          >
            <Trans>Stop training</Trans>
          </Button>
          <Button variant="default" onClick={() => setAsking(false)}>
            <Trans>Go on training</Trans>
          </Button>
        </div>
      </Modal>
    </>
  );
}
