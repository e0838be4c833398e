import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useSignOut } from "~/api/session";
import { drafts } from "~/outbox/drafts";
import { useOptionalOutbox, useOutbox, useSnapshot } from "~/outbox/OutboxProvider";
import { Dialog } from "./Dialog";
import classes from "./SignInAgain.module.css";

/** Signs out, after a warning if an answer would be left on this device. */
export function SignOut() {
  const signOut = useSignOut();
  // Pages outside the login (a wrong address) have no outbox, and nothing to lose.
  if (useOptionalOutbox()) return <CarefulSignOut />;
  return <SignOutButton onClick={() => signOut.mutate()} />;
}

function SignOutButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" className="linklike small" onClick={onClick}>
      <Trans>Sign out</Trans>
    </button>
  );
}

function CarefulSignOut() {
  const { t } = useLingui();
  const outbox = useOutbox();
  const { waiting, keeps } = useSnapshot();
  const signOut = useSignOut();
  const [asking, setAsking] = useState(false);
  const count = waiting.length;

  function leave() {
    // Answers not yet sent keep their drafts; nothing else stays on a shared computer.
    if (count === 0) drafts.forget({ owner: outbox.owner });
    signOut.mutate();
  }

  function begin() {
    if (count === 0) return leave();
    outbox.wake();
    setAsking(true);
  }

  return (
    <>
      <SignOutButton onClick={begin} />
      <Dialog opened={asking} onClose={() => setAsking(false)} title={t`Sign out`}>
        <div className={classes.form}>
          <p role="status">
            {count === 0 ? (
              <Trans>Everything is saved now.</Trans>
            ) : (
              <Plural
                value={count}
                one="One answer is not saved yet."
                other="# answers are not saved yet."
              />
            )}
          </p>
          {count > 0 && (
            <p>
              {keeps ? (
                <Trans>
                  What is not saved stays on this device, where nobody else who signs in can see or
                  send it, and is sent when you sign in here again.
                </Trans>
              ) : (
                <Trans>
                  This browser cannot hold answers on this device: what is not saved would be lost.
                  Please wait until it is saved.
                </Trans>
              )}
            </p>
          )}
          <div className={classes.buttons}>
            <Button onClick={() => setAsking(false)}>
              <Trans>Stay signed in</Trans>
            </Button>
            <Button variant="default" onClick={leave}>
              <Trans>Sign out anyway</Trans>
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  );
}
