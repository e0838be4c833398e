import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, ok } from "~/api/client";
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

const TOKENS = ["tokens"];

/** How many of the person's API tokens work. */
export function useWorkingTokens() {
  return useQuery({
    queryKey: TOKENS,
    queryFn: () => every((query) => api.GET("/api/v1/tokens/", { params: { query } })),
    select: (tokens) => tokens.filter((token) => token.state === "works").length,
  });
}

/** To be called when an act may have ended tokens. */
export function useTokensMayHaveEnded() {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: TOKENS });
}

export function useChangePassword() {
  const onSettled = useTokensMayHaveEnded();
  return useMutation({
    mutationFn: (body: { password: string; new_password: string; end_tokens: boolean }) =>
      ok(api.POST("/api/v1/account/password/", { body })),
    onSettled,
  });
}

const BREAK_IN = ["account", "break-in"];

/** What opens the account, and when it was signed in to. */
export function useOpenings() {
  return useQuery({
    queryKey: BREAK_IN,
    queryFn: () => ok(api.GET("/api/v1/account/break-in/")),
    gcTime: 0,
  });
}

export function useEndEverything() {
  return useMutation({
    mutationFn: (new_password: string) =>
      ok(api.POST("/api/v1/account/break-in/", { body: { new_password } })),
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
    mutationFn: (end_tokens: boolean) =>
      ok(api.POST("/api/v1/account/sign-out/", { body: { end_tokens } })),
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
  const tokensMayHaveEnded = useTokensMayHaveEnded();
  return useMutation({
    mutationFn: (body: { id: string | null; end_tokens: boolean }) =>
      ok(api.POST("/api/v1/account/sessions/", { body })),
    onSettled: () => {
      tokensMayHaveEnded();
      return client.invalidateQueries({ queryKey: SESSIONS });
    },
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
