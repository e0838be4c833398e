import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError, fieldErrors } from "~/api/errors";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./Account.module.css";
import { useChangePassword } from "./calls";
import { EndTokens } from "./EndTokens";

/** Changes the password, given the current one. */
export function PasswordForm({ email }: { email: string }) {
  const { t } = useLingui();
  const [before, setBefore] = useState("");
  const [wanted, setWanted] = useState("");
  const [endsTokens, setEndsTokens] = useState(true);
  const change = useChangePassword();
  const isWrong = change.error instanceof ApiError && change.error.code === "bad_login";
  const weak = fieldErrors(change.error).password;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (change.isPending) return;
    change.mutate(
      { password: before, new_password: wanted, end_tokens: endsTokens },
      {
        onSuccess: () => {
          setBefore("");
          setWanted("");
        },
      },
    );
  }

  const toggle = { "aria-label": t`Show or hide the password`, tabIndex: 0 };
  return (
    <form onSubmit={submit} className={classes.form} aria-label={t`Password`}>
      {/* Tells password managers whose password it is. */}
      <input type="hidden" name="email" autoComplete="username" value={email} />
      <PasswordInput
        label={t`Your current password`}
        autoComplete="current-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={toggle}
        value={before}
        onChange={(event) => setBefore(event.currentTarget.value)}
        error={isWrong ? change.error?.message : undefined}
      />
      <PasswordInput
        label={t`New password`}
        description={t`At least 10 characters, and not a common password. A few words in a row work well.`}
        autoComplete="new-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={toggle}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
        error={weak}
      />
      <EndTokens checked={endsTokens} onChange={setEndsTokens} />
      {change.error && !isWrong && !weak && (
        <ErrorNotice title={t`Nothing was changed`} error={change.error} />
      )}
      <div className={classes.buttons}>
        <Button type="submit">
          <Trans>Change the password</Trans>
        </Button>
        <span role="status" className="soft small">
          {change.isSuccess && t`Saved. You are signed out everywhere else.`}
        </span>
      </div>
    </form>
  );
}
