import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import type { Code } from "~/languages/languages";

const ACCOUNT = ["account"];

export function useAccount() {
  return useQuery({ queryKey: ACCOUNT, queryFn: () => ok(api.GET("/api/v1/account/")) });
}

export function useChangeAccount() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: { name: string; language: Code }) =>
      ok(api.PATCH("/api/v1/account/", { body })),
    onSuccess: refresh,
  });
}

export function useChangePassword() {
  return useMutation({
    mutationFn: (body: { password: string; new_password: string }) =>
      ok(api.POST("/api/v1/account/password/", { body })),
  });
}

export function useLeave() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (slug: string) =>
      ok(
        api.POST("/api/v1/studies/{slug}/leave/", {
          params: { path: { slug } },
          body: { confirm: true },
        }),
      ),
    onSuccess: refresh,
  });
}

// A new page, because nothing of the person who left may stay in a shared computer's memory.
const toLogin = () => location.assign("/login");

export function useSignOutEverywhere() {
  return useMutation({
    mutationFn: () => ok(api.POST("/api/v1/account/sign-out/")),
    onSuccess: toLogin,
  });
}

const SESSIONS = ["account", "sessions"];

export function useSignedInOn() {
  return useQuery({
    queryKey: SESSIONS,
    queryFn: () => ok(api.GET("/api/v1/account/sessions/")),
  });
}

/** Signs out one browser, or (null) all others. */
export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string | null) => ok(api.POST("/api/v1/account/sessions/", { body: { id } })),
    onSettled: () => client.invalidateQueries({ queryKey: SESSIONS }),
  });
}

export function useCloseAccount() {
  return useMutation({
    mutationFn: (password: string) =>
      ok(api.POST("/api/v1/account/close/", { body: { password } })),
    onSuccess: toLogin,
  });
}

/** Not awaited, so that the outcome is shown at once. */
function useRefresh() {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [ACCOUNT, ["session"], ["studies"]])
      void client.invalidateQueries({ queryKey });
  };
}
