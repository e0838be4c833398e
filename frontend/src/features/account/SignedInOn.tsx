import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { SessionsTable } from "~/components/SessionsTable";
import classes from "./Account.module.css";
import { useEndSession, useSignedInOn, useSignOutEverywhere } from "./calls";
import { EndTokens } from "./EndTokens";

/** The browsers in which the person is signed in, each of which they can sign out. */
export function SignedInOn() {
  const { t } = useLingui();
  const sessions = useSignedInOn();
  const end = useEndSession();
  const everywhere = useSignOutEverywhere();
  const [endsTokens, setEndsTokens] = useState(true);
  if (sessions.error) {
    return <ErrorNotice error={sessions.error} onRetry={() => void sessions.refetch()} />;
  }
  if (!sessions.data) return <Loading />;
  return (
    <>
      <p className="soft">
        <Trans>If you do not recognise one of these, sign it out and change your password.</Trans>
      </p>
      {(end.error ?? everywhere.error) && (
        <ErrorNotice title={t`This did not work`} error={end.error ?? everywhere.error} />
      )}
      <SessionsTable
        caption={t`Where you are signed in`}
        rows={sessions.data}
        onEnd={(id) => !end.isPending && end.mutate({ id, end_tokens: false })}
      />
      <EndTokens checked={endsTokens} onChange={setEndsTokens} />
      <div className={classes.buttons}>
        {sessions.data.length > 1 && (
          <Button
            variant="default"
            onClick={() => !end.isPending && end.mutate({ id: null, end_tokens: endsTokens })}
          >
            <Trans>Sign out of all others</Trans>
          </Button>
        )}
        <Button
          variant="default"
          onClick={() => !everywhere.isPending && everywhere.mutate(endsTokens)}
        >
          <Trans>Sign out everywhere</Trans>
        </Button>
      </div>
    </>
  );
}
