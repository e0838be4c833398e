import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./Account.module.css";
import { useCloseAccount } from "./calls";

/** Closing one's own account, confirmed by the password. */
export function CloseAccount() {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  const [password, setPassword] = useState("");
  const close = useCloseAccount();

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!close.isPending) close.mutate(password);
  }

  return (
    <>
      <p className="soft">
        <Trans>
          You will leave all your studies and can no longer sign in. What you agreed to in each
          study says what happens to your answers.
        </Trans>
      </p>
      {!isAsking ? (
        <div>
          <Button variant="default" onClick={() => setAsking(true)}>
            <Trans>Close your account</Trans>
          </Button>
        </div>
      ) : (
        <form onSubmit={submit} className={classes.form} aria-label={t`Close your account`}>
          <PasswordInput
            label={t`Your password`}
            autoComplete="current-password"
            required
            withAsterisk={false}
            autoFocus
            visibilityToggleButtonProps={{
              "aria-label": t`Show or hide the password`,
              tabIndex: 0,
            }}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {close.error && (
            <ErrorNotice title={t`Your account was not closed`} error={close.error} />
          )}
          <div className={classes.buttons}>
            <Button type="submit">
              <Trans>Close it for good</Trans>
            </Button>
            <Button variant="default" onClick={() => setAsking(false)}>
              <Trans>Cancel</Trans>
            </Button>
          </div>
        </form>
      )}
    </>
  );
}
