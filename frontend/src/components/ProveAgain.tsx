import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState, useSyncExternalStore } from "react";
import { again } from "~/api/again";
import { api, ok } from "~/api/client";
import { canUsePasskeys, takePasskey } from "~/api/passkeys";
import { Dialog } from "./Dialog";
import { ErrorNotice } from "./ErrorNotice";
import { Loading } from "./Loading";
import classes from "./SignInAgain.module.css";

/** Asks the person to prove once more who they are, before an act that gives lasting power; then the act goes on. */
export function ProveAgain({ email }: { email: string }) {
  const { t } = useLingui();
  const isAsked = useSyncExternalStore(again.subscribe, again.isAsked);
  return (
    <Dialog opened={isAsked} onClose={() => again.answer(false)} title={t`Is it you?`}>
      {isAsked && <Proof email={email} />}
    </Dialog>
  );
}

const NO_WAY = { password: false, app: false, passkey: false, recovery_code: false, provider: "" };

function Proof({ email }: { email: string }) {
  const { t } = useLingui();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const ways = useQuery({
    queryKey: ["session", "again"],
    queryFn: () => ok(api.GET("/api/v1/session/again/")),
    gcTime: 0,
  });
  const onSuccess = () => again.answer(true);
  const typed = useMutation({
    mutationFn: (body: { password: string } | { code: string }) =>
      ok(api.POST("/api/v1/session/again/", { body })),
    onSuccess,
  });
  const byPasskey = useMutation({
    mutationFn: async () => {
      const { options } = await ok(api.POST("/api/v1/session/again/passkey/begin/"));
      const credential = await takePasskey(options);
      return ok(api.POST("/api/v1/session/again/passkey/", { body: { credential } }));
    },
    onSuccess,
  });
  const elsewhere = useMutation({
    mutationFn: () =>
      ok(
        api.POST("/api/v1/session/provider/", {
          body: { next: location.pathname + location.search },
        }),
      ),
    onSuccess: ({ address }) => location.assign(address),
  });
  const acts = [typed, byPasskey, elsewhere];
  const isBusy = acts.some((act) => act.isPending);
  const error = ways.error ?? acts.find((act) => act.error)?.error;

  function start(act: () => void) {
    if (isBusy) return;
    for (const one of acts) one.reset();
    act();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    start(() => typed.mutate(ways.data?.password ? { password } : { code }));
  }

  if (ways.isPending) return <Loading />;
  const has = ways.data ?? NO_WAY;
  const name = has.provider;
  const takesPasskey = has.passkey && canUsePasskeys();
  return (
    <form onSubmit={submit} className={classes.form}>
      <p>
        <Trans>
          What you are about to do opens your account or a study to somebody, or changes how you
          sign in. So that nobody else does it in your name, please confirm first that it is you.
        </Trans>
      </p>
      {error && <ErrorNotice title={t`Nothing was changed`} error={error} />}
      {takesPasskey && (
        <Button onClick={() => start(byPasskey.mutate)} data-autofocus>
          {byPasskey.isPending ? t`Waiting for your passkey…` : t`Use a passkey`}
        </Button>
      )}
      {has.password && (
        <>
          <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
          <PasswordInput
            label={t`Your password`}
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
            visibilityToggleButtonProps={{
              "aria-label": t`Show or hide the password`,
              tabIndex: 0,
            }}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        </>
      )}
      {has.recovery_code && (
        <TextInput
          label={t`Code`}
          description={
            has.app
              ? t`The six digits that your app shows, or one of your recovery codes.`
              : t`One of your recovery codes.`
          }
          name="code"
          dir="ltr"
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          data-autofocus={!takesPasskey || undefined}
          maxLength={40}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      )}
      <div className={classes.buttons}>
        {(has.password || has.recovery_code) && (
          <Button type="submit" variant={takesPasskey ? "default" : "filled"}>
            <Trans>Continue</Trans>
          </Button>
        )}
        {name && (
          <Button variant="default" onClick={() => start(elsewhere.mutate)}>
            <Trans>Sign in with {name}</Trans>
          </Button>
        )}
        <Button variant="default" onClick={() => again.answer(false)}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
      {name && (
        <p className="soft small">
          <Trans>From {name} you come back to this page and can then do it.</Trans>
        </p>
      )}
    </form>
  );
}
