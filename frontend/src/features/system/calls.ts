import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";

const USERS = ["users"];

export type RoleFilter = "" | "admin" | "may_import" | "may_create" | "closed";
export type Asked = { search: string; role: RoleFilter; page: number };

/** People with accounts here; the last response stays in view while the next one loads. */
export function useUsers({ search, role, page }: Asked) {
  return useQuery({
    queryKey: [...USERS, search, role, page],
    queryFn: () =>
      ok(
        api.GET("/api/v1/users/", {
          params: { query: { page, ...(search && { search }), ...(role && { role }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

export type Change = {
  can_import?: boolean;
  can_create_studies?: boolean;
  is_admin?: boolean;
  is_active?: boolean;
};

export function useChangeUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change }: { id: number; change: Change }) =>
      ok(api.PATCH("/api/v1/users/{id}/", { params: { path: { id } }, body: change })),
    onSettled: () => client.invalidateQueries({ queryKey: USERS }),
  });
}

/** For somebody who lost their device; their sessions end. */
export function useResetSecondFactor() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) =>
      ok(api.POST("/api/v1/users/{id}/second-factor/reset/", { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: USERS }),
  });
}

export function useSessionsOf(id: number) {
  return useQuery({
    queryKey: [...USERS, id, "sessions"],
    queryFn: () => ok(api.GET("/api/v1/users/{id}/sessions/", { params: { path: { id } } })),
  });
}

/** Signs somebody out of one browser, or (null) everywhere. */
export function useEndSessionOf(person: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string | null) =>
      ok(
        api.POST("/api/v1/users/{id}/sessions/", {
          params: { path: { id: person } },
          body: { id, end_tokens: true }, // counts only where all browsers are signed out
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: [...USERS, person] }),
  });
}

export type Invite = {
  addresses?: string;
  table?: string;
  may_import: boolean;
  may_create: boolean;
  may_administer: boolean;
};

export function useInviteHere() {
  return useMutation({
    mutationFn: ({ body, key }: { body: Invite; key: string }) =>
      ok(
        api.POST("/api/v1/users/invitations/", {
          params: { header: { "Idempotency-Key": key } },
          body,
        }),
      ),
  });
}
