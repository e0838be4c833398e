import { Trans, useLingui } from "@lingui/react/macro";
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, ok } from "~/api/client";
import { canUsePasskeys, takePasskey } from "~/api/passkeys";
import { putInPlace } from "~/api/query";
import { useSignOut } from "~/api/session";
import type { Session } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import classes from "./LoginPage.module.css";

/** The second step of signing in: a passkey, a code of the person's app, or a recovery code. */
export default function SecondStep() {
  const { t } = useLingui();
  const client = useQueryClient();
  const signOut = useSignOut();
  const [code, setCode] = useState("");
  const ways = useQuery({
    queryKey: ["second-step"],
    queryFn: () => ok(api.GET("/api/v1/session/second-step/")),
    gcTime: 0,
    retry: false,
  });
  const outcome = {
    onSuccess: (session: Session) => putInPlace(client, ["session"], session),
    onError: () => void client.invalidateQueries({ queryKey: ["session"] }),
  };
  const byCode = useMutation({
    mutationFn: () => ok(api.POST("/api/v1/session/second-step/", { body: { code } })),
    ...outcome,
  });
  const byPasskey = useMutation({
    mutationFn: async () => {
      const { options } = await ok(api.POST("/api/v1/session/passkey/begin/"));
      const credential = await takePasskey(options);
      return ok(api.POST("/api/v1/session/passkey/", { body: { credential } }));
    },
    ...outcome,
  });
  const isBusy = byCode.isPending || byPasskey.isPending;
  const error = byCode.error ?? byPasskey.error ?? ways.error;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isBusy) return;
    byPasskey.reset();
    byCode.mutate();
  }

  function takeOne() {
    if (isBusy) return;
    byCode.reset();
    byPasskey.mutate();
  }

  if (ways.isPending) return <Loading />;
  const hasPasskey = ways.data?.passkey === true;
  const offersPasskey = hasPasskey && canUsePasskeys();
  return (
    <Page title={t`Sign in`}>
      <form onSubmit={submit} className={classes.form}>
        {error && <ErrorNotice title={t`You are not signed in`} error={error} />}
        {offersPasskey && (
          <Button onClick={takeOne} className={classes.go} autoFocus>
            {byPasskey.isPending ? t`Waiting for your passkey…` : t`Use a passkey`}
          </Button>
        )}
        {hasPasskey && !offersPasskey && (
          <p>
            <Trans>This browser cannot use your passkey here.</Trans>
          </p>
        )}
        <TextInput
          label={t`Code`}
          description={
            ways.data?.app === false
              ? t`One of your recovery codes.`
              : t`The six digits that your app shows, or one of your recovery codes.`
          }
          name="code"
          dir="ltr"
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          autoFocus={!offersPasskey}
          maxLength={40}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" variant={offersPasskey ? "default" : "filled"} className={classes.go}>
          {byCode.isPending ? t`Signing in…` : t`Sign in`}
        </Button>
        <p className="soft small">
          <Trans>
            If you have none of these, ask an admin of this server to reset your second factor.
          </Trans>
        </p>
        <div>
          <button type="button" className="linklike" onClick={() => signOut.mutate()}>
            <Trans>I am somebody else</Trans>
          </button>
        </div>
      </form>
    </Page>
  );
}
