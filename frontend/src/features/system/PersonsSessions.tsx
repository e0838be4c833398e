import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { SessionsTable } from "~/components/SessionsTable";
import { useEndSessionOf, useSessionsOf } from "./calls";
import classes from "./System.module.css";

/** Where somebody is signed in, for an admin who has to end it: a lost laptop, a stolen password. */
export function PersonsSessions({ id, email }: { id: number; email: string }) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="linklike small"
        aria-label={t`Where they are signed in: ${email}`}
        onClick={() => setOpen(true)}
      >
        <Trans>Where they are signed in</Trans>
      </button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t`Where they are signed in: ${email}`}
        size="lg"
      >
        <Sessions id={id} />
      </Modal>
    </>
  );
}

function Sessions({ id }: { id: number }) {
  const { t } = useLingui();
  const sessions = useSessionsOf(id);
  const end = useEndSessionOf(id);
  if (sessions.error) {
    return <ErrorNotice error={sessions.error} onRetry={() => void sessions.refetch()} />;
  }
  if (!sessions.data) return <Loading />;
  return (
    <>
      <p className="soft">
        <Trans>
          Whoever knows the password can sign in again. To prevent that, close the account or let
          the person choose a new password.
        </Trans>
      </p>
      {end.error && <ErrorNotice title={t`This did not work`} error={end.error} />}
      <SessionsTable
        caption={t`Where they are signed in`}
        rows={sessions.data}
        onEnd={(which) => !end.isPending && end.mutate(which)}
      />
      {sessions.data.length > 1 && (
        <div className={classes.filters}>
          <Button variant="default" onClick={() => !end.isPending && end.mutate(null)}>
            <Trans>Sign out everywhere</Trans>
          </Button>
        </div>
      )}
    </>
  );
}
