import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { useResetSecondFactor } from "./calls";
import classes from "./System.module.css";

/** Turns off the second factor of somebody who lost their device. */
export function ResetSecondFactor({ id, email }: { id: number; email: string }) {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  const reset = useResetSecondFactor();
  return (
    <>
      <button
        type="button"
        className="linklike small"
        aria-label={t`Reset the second factor: ${email}`}
        onClick={() => setAsking(true)}
      >
        <Trans>Reset second factor…</Trans>
      </button>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t`Reset the second factor: ${email}`}
      >
        <p>
          <Trans>
            Signing in will then take the password only. Make sure that it is really this person who
            asks for it. They are signed out everywhere.
          </Trans>
        </p>
        {reset.error && <ErrorNotice title={t`Nothing was changed`} error={reset.error} />}
        <div className={classes.filters}>
          <Button variant="default" onClick={() => setAsking(false)}>
            <Trans>Cancel</Trans>
          </Button>
          <Button onClick={() => !reset.isPending && reset.mutate(id)}>
            <Trans>Reset the second factor</Trans>
          </Button>
        </div>
      </Modal>
    </>
  );
}
