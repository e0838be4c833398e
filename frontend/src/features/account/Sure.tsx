import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./Account.module.css";

type Props = {
  /** What the form is for. */
  label: string;
  error: Error | null;
  onSure: () => void;
  onCancel: () => void;
  /** What else is asked or said. */
  children?: ReactNode;
};

/** Asks once more, before something changes how the person signs in. */
export function Sure({ label, error, onSure, onCancel, children }: Props) {
  const { t } = useLingui();
  function submit(event: FormEvent) {
    event.preventDefault();
    onSure();
  }
  return (
    <form onSubmit={submit} className={classes.form} aria-label={label}>
      {children}
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
