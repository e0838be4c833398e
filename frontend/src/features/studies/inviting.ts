import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, ok } from "~/api/client";
import { ApiError } from "~/api/errors";

const invitationsOf = (slug: string) => ["study", slug, "invitations"];

export function useInvitations(slug: string) {
  return useQuery({
    queryKey: invitationsOf(slug),
    queryFn: () =>
      every((query) =>
        api.GET("/api/v1/studies/{slug}/invitations/", { params: { path: { slug }, query } }),
      ),
  });
}

export type Role = "expert" | "researcher" | "admin";
export type Invite = { addresses: string; role: Role; days: number | null };

/** Links for a list of addresses: all of them, or none and the bad lines. */
export function useInvite(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: (body: Invite) =>
      ok(api.POST("/api/v1/studies/{slug}/invitations/", { params: { path: { slug } }, body })),
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

/** A new link in the place of one that was lost or has expired. */
export function useReplace(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: (pk: string) =>
      ok(
        api.POST("/api/v1/studies/{slug}/invitations/{id}/replace/", {
          params: { path: { slug, id: pk } },
          body: {},
        }),
      ),
    onSuccess: refresh,
  });
}

/** A link by which a member chooses a new password. */
export function useRenewAccess(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: (number: number) =>
      ok(
        api.POST("/api/v1/studies/{slug}/members/{number}/access/", {
          params: { path: { slug, number } },
          body: {},
        }),
      ),
    onSuccess: refresh,
  });
}

function useRefresh(slug: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: invitationsOf(slug) });
}

export type BadLine = { line: number; value: string; reason: string };

/** The lines of the list that were refused. */
export function badLines(error: unknown): BadLine[] {
  if (!(error instanceof ApiError) || error.code !== "bad_addresses") return [];
  const { lines } = error.data;
  return Array.isArray(lines) ? (lines as BadLine[]) : [];
}
