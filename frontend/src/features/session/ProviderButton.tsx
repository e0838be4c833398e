import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./LoginPage.module.css";

/** Signing in through the sign-in provider of this server. */
export default function ProviderButton({ name, next }: { name: string; next: string }) {
  const { t } = useLingui();
  const ask = useMutation({
    mutationFn: () => ok(api.POST("/api/v1/session/provider/", { body: { next } })),
    onSuccess: ({ address }) => location.assign(address),
  });
  return (
    <div className={classes.form}>
      {ask.error && <ErrorNotice title={t`You are not signed in`} error={ask.error} />}
      <Button
        variant="default"
        className={classes.go}
        onClick={() => !ask.isPending && ask.mutate()}
      >
        <Trans>Sign in with {name}</Trans>
      </Button>
      <p className="soft small">
        <Trans>Signing out here does not sign you out of {name}.</Trans>
      </p>
    </div>
  );
}
