import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useSignIn } from "~/api/session";
import type { User } from "~/api/types";
import { Dialog } from "./Dialog";
import { ErrorNotice } from "./ErrorNotice";
import classes from "./SignInAgain.module.css";

/** The session has ended. Asks the same person for the password, on top of the page, which stays as it is. */
export function SignInAgain({ person }: { person: User }) {
  const { t } = useLingui();
  const signIn = useSignIn();
  const [password, setPassword] = useState("");

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (!signIn.isPending) signIn.mutate({ email: person.email, password });
  }

  return (
    <Dialog
      opened
      onClose={() => {}}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={t`Please sign in again`}
    >
      <form onSubmit={submit} className={classes.form}>
        <p>
          <Trans>
            You have been away for a while, or have signed out in another tab. Nothing is lost: you
            can continue here as soon as you have signed in.
          </Trans>
        </p>
        {signIn.error && <ErrorNotice title={t`You are not signed in`} error={signIn.error} />}
        <p>
          <Trans>E-mail address</Trans>: <bdi>{person.email}</bdi>
        </p>
        <input type="hidden" name="email" autoComplete="username" value={person.email} readOnly />
        <PasswordInput
          label={t`Password`}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          visibilityToggleButtonProps={{ "aria-label": t`Show or hide the password` }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <div className={classes.buttons}>
          <Button type="submit">
            {signIn.isPending ? <Trans>Signing in…</Trans> : <Trans>Sign in</Trans>}
          </Button>
          <button type="button" className="linklike" onClick={() => location.assign("/login")}>
            <Trans>I am somebody else</Trans>
          </button>
        </div>
      </form>
    </Dialog>
  );
}
