import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import type { Account } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./Account.module.css";
import { useLeave } from "./calls";

type Own = Account["studies"][number];

/** The studies in which the person takes part. Experts can leave by themselves. */
export function OwnStudies({ studies }: { studies: Own[] }) {
  const { t } = useLingui();
  const [leaving, setLeaving] = useState<Own | null>(null);
  const leave = useLeave();
  if (studies.length === 0) {
    return (
      <p className="soft">
        <Trans>You are not taking part in any study.</Trans>
      </p>
    );
  }
  function close() {
    leave.reset();
    setLeaving(null);
  }
  return (
    <>
      <ul className={classes.studies}>
        {studies.map((one) => (
          <li key={one.slug}>
            <bdi>{one.title}</bdi>
            {one.role === "expert" && (
              <button
                type="button"
                className="linklike small"
                aria-label={t`Leave the study: ${one.title}`}
                onClick={() => setLeaving(one)}
              >
                <Trans>Leave the study</Trans>
              </button>
            )}
          </li>
        ))}
      </ul>
      <Modal opened={leaving !== null} onClose={close} title={t`Leave the study`}>
        <div className={classes.form}>
          <p>
            <Trans>
              You will get no more texts from <bdi>“{leaving?.title}”</bdi>. What you agreed to says
              what happens to your answers.
            </Trans>
          </p>
          {leave.error && <ErrorNotice title={t`This did not work`} error={leave.error} />}
          <div className={classes.buttons}>
            <Button onClick={close} variant="default">
              <Trans>Stay</Trans>
            </Button>
            <Button
              onClick={() =>
                leaving && !leave.isPending && leave.mutate(leaving.slug, { onSuccess: close })
              }
            >
              <Trans>Leave the study</Trans>
            </Button>
          </div>
        </div>
      </Modal>
    </>
  );
}
