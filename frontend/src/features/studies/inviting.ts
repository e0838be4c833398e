import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, ok } from "~/api/client";
import type { Invitation } from "~/api/types";
import { useRowKeys } from "~/components/inviting/whom";

const invitationsOf = (slug: string) => ["study", slug, "invitations"];

const LOOK_AGAIN_MS = 3_000;
const isUnderWay = ({ mail }: Invitation) => mail === "queued" || mail === "running";

export function useInvitations(slug: string) {
  return useQuery({
    queryKey: invitationsOf(slug),
    queryFn: () =>
      every((query) =>
        api.GET("/api/v1/studies/{slug}/invitations/", { params: { path: { slug }, query } }),
      ),
    // A mail being sent is polled until it is.
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? LOOK_AGAIN_MS : false),
  });
}

export type Role = "expert" | "researcher" | "admin";
export type Invite = { addresses?: string; table?: string; role: Role; days: number | null };

/** Links for a list of addresses: for all of them, or for none, with the bad lines. */
export function useInvite(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: ({ body, key }: { body: Invite; key: string }) =>
      ok(
        api.POST("/api/v1/studies/{slug}/invitations/", {
          params: { path: { slug }, header: { "Idempotency-Key": key } },
          body,
        }),
      ),
    onSuccess: refresh,
  });
}

export function useRevoke(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: (pk: string) =>
      ok(
        api.POST("/api/v1/studies/{slug}/invitations/{id}/revoke/", {
          params: { path: { slug, id: pk } },
        }),
      ),
    onSuccess: refresh,
  });
}

/** Replaces a link that was lost or has expired. */
export function useReplace(slug: string) {
  const refresh = useRefresh(slug);
  const keys = useRowKeys();
  return useMutation({
    mutationFn: (pk: string) =>
      ok(
        api.POST("/api/v1/studies/{slug}/invitations/{id}/replace/", {
          params: { path: { slug, id: pk }, header: keys.header(pk) },
          body: {},
        }),
      ),
    onSuccess: (_made, pk) => {
      keys.answered(pk);
      return refresh();
    },
  });
}

export type Whom = "not_accepted" | "not_started" | "unfinished";

/** Mails to people who have yet to do something, or messages to send them. */
export function useRemind(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: (who: Whom) =>
      ok(
        api.POST("/api/v1/studies/{slug}/reminders/", {
          params: { path: { slug } },
          body: { who },
        }),
      ),
    onSuccess: refresh,
  });
}

/** New links for all that have expired. */
export function useRenewExpired(slug: string) {
  const refresh = useRefresh(slug);
  const keys = useRowKeys();
  return useMutation({
    mutationFn: (which: "all") =>
      ok(
        api.POST("/api/v1/studies/{slug}/invitations/renew/", {
          params: { path: { slug }, header: keys.header(which) },
          body: {},
        }),
      ),
    onSuccess: (_made, which) => {
      keys.answered(which);
      return refresh();
    },
  });
}

export function useRevokeSeveral(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: (ids: string[]) =>
      ok(
        api.POST("/api/v1/studies/{slug}/invitations/revoke/", {
          params: { path: { slug } },
          body: { ids },
        }),
      ),
    onSuccess: refresh,
  });
}

/** A link for a member to choose a new password. */
export function useRenewAccess(slug: string) {
  const refresh = useRefresh(slug);
  const keys = useRowKeys();
  return useMutation({
    mutationFn: (number: number) =>
      ok(
        api.POST("/api/v1/studies/{slug}/members/{number}/access/", {
          params: { path: { slug, number }, header: keys.header(number) },
          body: {},
        }),
      ),
    onSuccess: (_made, number) => {
      keys.answered(number);
      return refresh();
    },
  });
}

function useRefresh(slug: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: invitationsOf(slug) });
}
