import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import classes from "./Account.module.css";
import { AppSetup } from "./AppSetup";
import { Passkeys } from "./Passkeys";
import { PasswordFirst } from "./PasswordFirst";
import { RecoveryCodes } from "./RecoveryCodes";
import { useRefreshSession, useSecondFactor, useSecondFactorActs } from "./secondFactor";

/** Turning a second factor on and off: an app for codes, passkeys, and recovery codes for both. */
export function SecondFactor() {
  const { t } = useLingui();
  const factor = useSecondFactor();
  const { begin, confirm, renew, removeApp, end } = useSecondFactorActs();
  const refreshSession = useRefreshSession();
  const [asking, setAsking] = useState<"begin" | "renew" | "removeApp" | "end" | null>(null);
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
        onTyped={(code) => {
          if (confirm.isPending) return;
          confirm.mutate(code, {
            onSuccess: ({ recovery_codes }) => {
              begin.reset();
              confirm.reset();
              setCodes(recovery_codes);
            },
          });
        }}
      />
    );
  }

  function given(password: string) {
    const close = () => setAsking(null);
    if (asking === "begin" && !begin.isPending) begin.mutate(password, { onSuccess: close });
    if (asking === "removeApp" && !removeApp.isPending)
      removeApp.mutate(password, { onSuccess: close });
    if (asking === "end" && !end.isPending) end.mutate(password, { onSuccess: close });
    if (asking === "renew" && !renew.isPending) {
      renew.mutate(password, {
        onSuccess: ({ recovery_codes }) => {
          close();
          setCodes(recovery_codes);
        },
      });
    }
  }

  const acts = { begin, renew, removeApp, end };
  return (
    <>
      <p className="soft">
        {is_on
          ? t`Signing in asks for a code of your app or for a passkey. ${plural(left, { one: "# recovery code is left.", other: "# recovery codes are left." })}`
          : t`Signing in can ask for a code of an app on your phone or for a passkey as well, so that a stolen password is not enough.`}
      </p>
      {asking ? (
        <PasswordFirst
          key={asking}
          label={t`Second factor`}
          error={acts[asking].error}
          onCancel={() => setAsking(null)}
          onGiven={given}
        />
      ) : (
        <div className={classes.buttons}>
          {!has_app && (
            <Button variant={is_on ? "default" : "filled"} onClick={() => setAsking("begin")}>
              <Trans>Set up an app for codes</Trans>
            </Button>
          )}
          {has_app && passkeys.length > 0 && (
            <Button variant="default" onClick={() => setAsking("removeApp")}>
              <Trans>Remove the app for codes</Trans>
            </Button>
          )}
          {is_on && (
            <Button variant="default" onClick={() => setAsking("renew")}>
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
