import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { putInPlace } from "~/api/query";
import type { Session } from "~/api/types";

/** What the link is for. The token is sent in the body, so that it is in no address and no log. */
export function useInvited(token: string) {
  return useQuery({
    queryKey: ["invited", token],
    queryFn: () => ok(api.POST("/api/v1/invitations/look/", { body: { token } })),
    enabled: token !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

export type Acceptance = { token: string; password: string; consent: string };

/** Uses the link: account, consent, membership and session in one step. */
export function useAccept() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Acceptance) => ok(api.POST("/api/v1/invitations/accept/", { body })),
    onSuccess: async ({ user }) => {
      await putInPlace<Session>(client, ["session"], (before) => ({
        sends_mail: false,
        is_demo: false,
        provider: "",
        second_step: "",
        ...before,
        user,
      }));
      await client.invalidateQueries({ queryKey: ["studies"] });
    },
  });
}

/** Signs out for the person the link is for, with a new page in which nothing of the previous person stays. */
export function useMakeRoom() {
  return useMutation({
    mutationFn: () => ok(api.DELETE("/api/v1/session/")),
    onSuccess: () => location.reload(),
  });
}
