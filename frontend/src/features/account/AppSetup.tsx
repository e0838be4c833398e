import { Trans, useLingui } from "@lingui/react/macro";
import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./Account.module.css";
import { EndTokens } from "./EndTokens";

type Props = {
  secret: string;
  qr: string;
  error: Error | null;
  onTyped: (code: string, endsTokens: boolean) => void;
  onCancel: () => void;
};

/** The key of an app for codes, which counts once a first code was right. */
export function AppSetup({ secret, qr, error, onTyped, onCancel }: Props) {
  const { t } = useLingui();
  const [code, setCode] = useState("");
  const [endsTokens, setEndsTokens] = useState(true);
  function submit(event: FormEvent) {
    event.preventDefault();
    onTyped(code, endsTokens);
  }
  return (
    <form onSubmit={submit} className={classes.form} aria-label={t`Second factor`}>
      <p>
        <Trans>Scan this with an app for codes, or type the key into it.</Trans>
      </p>
      <img src={qr} alt={t`The key, to be scanned`} className={classes.qr} />
      <TextInput label={t`Key`} value={secret} readOnly dir="ltr" />
      <TextInput
        label={t`Code`}
        description={t`The six digits that your app shows now.`}
        dir="ltr"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        withAsterisk={false}
        maxLength={10}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <EndTokens checked={endsTokens} onChange={setEndsTokens} />
      {error && <ErrorNotice title={t`Nothing was changed`} error={error} />}
      <div className={classes.buttons}>
        <Button type="submit">
          <Trans>Turn it on</Trans>
        </Button>
        <Button variant="default" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </form>
  );
}
