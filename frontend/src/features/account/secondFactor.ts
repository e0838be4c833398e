import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { makePasskey } from "~/api/passkeys";
import { useTokensMayHaveEnded } from "./calls";

const FACTOR = ["account", "second-factor"];

export function useSecondFactor() {
  return useQuery({
    queryKey: FACTOR,
    queryFn: () => ok(api.GET("/api/v1/account/second-factor/")),
  });
}

/** Added: the session is asked about once the recovery codes were shown. Removed: another may be due at once. */
function useOutcomes() {
  const client = useQueryClient();
  const tokensMayHaveEnded = useTokensMayHaveEnded();
  const onSuccess = () => {
    tokensMayHaveEnded();
    void client.invalidateQueries({ queryKey: FACTOR });
  };
  const onRemoved = () => {
    onSuccess();
    void client.invalidateQueries({ queryKey: ["session"] });
  };
  return { onSuccess, onRemoved };
}

export function useSecondFactorActs() {
  const { onSuccess, onRemoved } = useOutcomes();
  return {
    begin: useMutation({
      mutationFn: () => ok(api.POST("/api/v1/account/second-factor/begin/", { body: {} })),
    }),
    confirm: useMutation({
      mutationFn: (body: { code: string; end_tokens: boolean }) =>
        ok(api.POST("/api/v1/account/second-factor/confirm/", { body })),
      onSuccess,
    }),
    renew: useMutation({
      mutationFn: () => ok(api.POST("/api/v1/account/second-factor/recovery-codes/", { body: {} })),
      onSuccess,
    }),
    removeApp: useMutation({
      mutationFn: (end_tokens: boolean) =>
        ok(api.POST("/api/v1/account/second-factor/app/remove/", { body: { end_tokens } })),
      onSuccess: onRemoved,
    }),
    end: useMutation({
      mutationFn: (end_tokens: boolean) =>
        ok(api.POST("/api/v1/account/second-factor/off/", { body: { end_tokens } })),
      onSuccess: onRemoved,
    }),
  };
}

export function usePasskeyActs() {
  const { onSuccess, onRemoved } = useOutcomes();
  return {
    add: useMutation({
      mutationFn: async (named: { name: string; end_tokens: boolean }) => {
        const { options } = await ok(
          api.POST("/api/v1/account/second-factor/passkeys/begin/", { body: {} }),
        );
        const credential = await makePasskey(options);
        return ok(
          api.POST("/api/v1/account/second-factor/passkeys/", { body: { ...named, credential } }),
        );
      },
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: ({ id, end_tokens }: { id: number; end_tokens: boolean }) =>
        ok(
          api.POST("/api/v1/account/second-factor/passkeys/{id}/remove/", {
            params: { path: { id } },
            body: { end_tokens },
          }),
        ),
      onSuccess: onRemoved,
    }),
  };
}

/** Whoever had to turn it on can go on, once the recovery codes were shown. */
export function useRefreshSession() {
  const client = useQueryClient();
  return () => void client.invalidateQueries();
}
