import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { makePasskey } from "~/api/passkeys";

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
  const onSuccess = () => void client.invalidateQueries({ queryKey: FACTOR });
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
      mutationFn: (password: string) =>
        ok(api.POST("/api/v1/account/second-factor/begin/", { body: { password } })),
    }),
    confirm: useMutation({
      mutationFn: (code: string) =>
        ok(api.POST("/api/v1/account/second-factor/confirm/", { body: { code } })),
      onSuccess,
    }),
    renew: useMutation({
      mutationFn: (password: string) =>
        ok(api.POST("/api/v1/account/second-factor/recovery-codes/", { body: { password } })),
      onSuccess,
    }),
    removeApp: useMutation({
      mutationFn: (password: string) =>
        ok(api.POST("/api/v1/account/second-factor/app/remove/", { body: { password } })),
      onSuccess: onRemoved,
    }),
    end: useMutation({
      mutationFn: (password: string) =>
        ok(api.POST("/api/v1/account/second-factor/off/", { body: { password } })),
      onSuccess: onRemoved,
    }),
  };
}

export function usePasskeyActs() {
  const { onSuccess, onRemoved } = useOutcomes();
  return {
    add: useMutation({
      mutationFn: async ({ name, password }: { name: string; password: string }) => {
        const { options } = await ok(
          api.POST("/api/v1/account/second-factor/passkeys/begin/", { body: { password } }),
        );
        const credential = await makePasskey(options);
        return ok(
          api.POST("/api/v1/account/second-factor/passkeys/", { body: { name, credential } }),
        );
      },
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: ({ id, password }: { id: number; password: string }) =>
        ok(
          api.POST("/api/v1/account/second-factor/passkeys/{id}/remove/", {
            params: { path: { id } },
            body: { password },
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
