import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ok } from "~/api/client";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { PasswordFirst } from "./PasswordFirst";

const PROVIDER = ["account", "provider"];

/** Connecting the account to the server's sign-in provider, and ending that. */
export function Provider({ name }: { name: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const connection = useQuery({
    queryKey: PROVIDER,
    queryFn: () => ok(api.GET("/api/v1/account/provider/")),
  });
  const connect = useMutation({
    mutationFn: (password: string) =>
      ok(api.POST("/api/v1/account/provider/", { body: { password } })),
    onSuccess: ({ address }) => location.assign(address),
  });
  const disconnect = useMutation({
    mutationFn: (password: string) =>
      ok(api.POST("/api/v1/account/provider/disconnect/", { body: { password } })),
    onSuccess: () => {
      setAsking(false);
      void client.invalidateQueries({ queryKey: PROVIDER });
    },
  });
  if (connection.error) {
    return <ErrorNotice error={connection.error} onRetry={() => void connection.refetch()} />;
  }
  if (!connection.data) return <Loading />;
  const isConnected = connection.data.is_connected;
  const act = isConnected ? disconnect : connect;
  return (
    <>
      <p className="soft">
        {isConnected
          ? t`Your account is connected to ${name}. You can sign in there instead of typing your password.`
          : t`You can connect your account to ${name}, and sign in there instead of typing your password.`}
      </p>
      {isAsking ? (
        <PasswordFirst
          label={t`Sign in with ${name}`}
          error={act.error}
          onCancel={() => setAsking(false)}
          onGiven={(password) => !act.isPending && act.mutate(password)}
        />
      ) : (
        <div>
          <Button variant="default" onClick={() => setAsking(true)}>
            {isConnected ? <Trans>Disconnect</Trans> : <Trans>Connect to {name}</Trans>}
          </Button>
        </div>
      )}
    </>
  );
}
