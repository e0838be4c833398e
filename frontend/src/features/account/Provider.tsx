import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";

const PROVIDER = ["account", "provider"];

/** Connecting the account to the server's sign-in provider, and ending that. */
export function Provider({ name }: { name: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const connection = useQuery({
    queryKey: PROVIDER,
    queryFn: () => ok(api.GET("/api/v1/account/provider/")),
  });
  const connect = useMutation({
    mutationFn: () => ok(api.POST("/api/v1/account/provider/", { body: {} })),
    onSuccess: ({ address }) => location.assign(address),
  });
  const disconnect = useMutation({
    mutationFn: () => ok(api.POST("/api/v1/account/provider/disconnect/", { body: {} })),
    onSuccess: () => void client.invalidateQueries({ queryKey: PROVIDER }),
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
      {act.error && <ErrorNotice title={t`Nothing was changed`} error={act.error} />}
      <div>
        <Button variant="default" onClick={() => !act.isPending && act.mutate()}>
          {isConnected ? <Trans>Disconnect</Trans> : <Trans>Connect to {name}</Trans>}
        </Button>
      </div>
    </>
  );
}
