import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import classes from "./Account.module.css";
import { AppSetup } from "./AppSetup";
import { EndTokens } from "./EndTokens";
import { Passkeys } from "./Passkeys";
import { RecoveryCodes } from "./RecoveryCodes";
import { Sure } from "./Sure";
import { useRefreshSession, useSecondFactor, useSecondFactorActs } from "./secondFactor";

/** Turning a second factor on and off: an app for codes, passkeys, and recovery codes for both. */
export function SecondFactor() {
  const { t } = useLingui();
  const factor = useSecondFactor();
  const { begin, confirm, renew, removeApp, end } = useSecondFactorActs();
  const refreshSession = useRefreshSession();
  const [asking, setAsking] = useState<"removeApp" | "end" | null>(null);
  const [endsTokens, setEndsTokens] = useState(true);
  const [codes, setCodes] = useState<string[]>([]);
  if (factor.error) {
    return <ErrorNotice error={factor.error} onRetry={() => void factor.refetch()} />;
  }
  if (!factor.data) return <Loading />;
  const { is_on, has_app, passkeys, passkeys_possible, recovery_codes_left: left } = factor.data;

  if (codes.length > 0) {
    return (
      <RecoveryCodes
        codes={codes}
        onKept={() => {
          setCodes([]);
          refreshSession();
        }}
      />
    );
  }
  if (begin.data) {
    return (
      <AppSetup
        {...begin.data}
        error={confirm.error}
        onCancel={() => begin.reset()}
        onTyped={(code, ends) => {
          if (confirm.isPending) return;
          confirm.mutate(
            { code, end_tokens: ends },
            {
              onSuccess: ({ recovery_codes }) => {
                begin.reset();
                confirm.reset();
                setCodes(recovery_codes);
              },
            },
          );
        }}
      />
    );
  }

  function close() {
    removeApp.reset();
    end.reset();
    setEndsTokens(true);
    setAsking(null);
  }
  function renewCodes() {
    if (renew.isPending) return;
    renew.mutate(undefined, { onSuccess: ({ recovery_codes }) => setCodes(recovery_codes) });
  }
  const act = asking === "end" ? end : removeApp;
  const error = begin.error ?? renew.error;
  return (
    <>
      <p className="soft">
        {is_on
          ? t`Signing in asks for a code of your app or for a passkey. ${plural(left, { one: "# recovery code is left.", other: "# recovery codes are left." })}`
          : t`Signing in can ask for a code of an app on your phone or for a passkey as well, so that a stolen password is not enough.`}
      </p>
      {error && <ErrorNotice title={t`Nothing was changed`} error={error} />}
      {asking ? (
        <Sure
          key={asking}
          label={t`Second factor`}
          error={act.error}
          onCancel={close}
          onSure={() => !act.isPending && act.mutate(endsTokens, { onSuccess: close })}
        >
          <p>
            {asking === "end"
              ? t`Your app, your passkeys and your recovery codes will no longer be asked for. Your password alone signs you in.`
              : t`Codes of your app will no longer sign you in. Your passkeys still do.`}
          </p>
          <EndTokens checked={endsTokens} onChange={setEndsTokens} />
        </Sure>
      ) : (
        <div className={classes.buttons}>
          {!has_app && (
            <Button
              variant={is_on ? "default" : "filled"}
              onClick={() => !begin.isPending && begin.mutate()}
            >
              <Trans>Set up an app for codes</Trans>
            </Button>
          )}
          {has_app && passkeys.length > 0 && (
            <Button variant="default" onClick={() => setAsking("removeApp")}>
              <Trans>Remove the app for codes</Trans>
            </Button>
          )}
          {is_on && (
            <Button variant="default" onClick={renewCodes}>
              <Trans>New recovery codes</Trans>
            </Button>
          )}
          {is_on && (
            <Button variant="default" onClick={() => setAsking("end")}>
              <Trans>Turn off the second factor</Trans>
            </Button>
          )}
        </div>
      )}
      <Passkeys passkeys={passkeys} arePossible={passkeys_possible} onCodes={setCodes} />
    </>
  );
}
