import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./Account.module.css";

type Props = {
  /** What the form is for. */
  label: string;
  error: Error | null;
  onGiven: (password: string) => void;
  onCancel: () => void;
  /** Further fields, before the password. */
  children?: ReactNode;
};

/** Asks for the password once more, before something changes how the person signs in. */
export function PasswordFirst({ label, error, onGiven, onCancel, children }: Props) {
  const { t } = useLingui();
  const [password, setPassword] = useState("");
  function submit(event: FormEvent) {
    event.preventDefault();
    onGiven(password);
  }
  return (
    <form onSubmit={submit} className={classes.form} aria-label={label}>
      {children}
      <PasswordInput
        label={t`Your password`}
        autoComplete="current-password"
        required
        withAsterisk={false}
        autoFocus={!children}
        visibilityToggleButtonProps={{ "aria-label": t`Show or hide the password`, tabIndex: 0 }}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      {error && <ErrorNotice title={t`Nothing was changed`} error={error} />}
      <div className={classes.buttons}>
        <Button type="submit">
          <Trans>Continue</Trans>
        </Button>
        <Button variant="default" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </form>
  );
}
