import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import type { Member } from "~/api/types";

export type Role = Member["role"];
export type MemberFilters = {
  role: Role | "";
  state: "active" | "pending" | "left" | "";
  search: string;
};

export const ROWS = 50;

export function useMembers(slug: string, filters: MemberFilters, page: number) {
  const asked = Object.entries(filters).filter(([, value]) => value !== "");
  const query = { ...Object.fromEntries(asked), page, limit: ROWS };
  return useQuery({
    queryKey: ["study", slug, "members", query],
    queryFn: () =>
      ok(api.GET("/api/v1/studies/{slug}/members/", { params: { path: { slug }, query } })),
    placeholderData: keepPreviousData,
  });
}

export type MemberAct =
  | { what: "role"; member: Member; role: Role }
  | { what: "leave" | "return"; member: Member };

/** Changes a role, removes a member, or readmits one. */
export function useMemberAct(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (act: MemberAct): Promise<Member> => {
      const params = { path: { slug, number: act.member.number } };
      if (act.what === "role")
        return ok(
          api.PATCH("/api/v1/studies/{slug}/members/{number}/", {
            params,
            body: { role: act.role },
          }),
        );
      return act.what === "leave"
        ? ok(api.POST("/api/v1/studies/{slug}/members/{number}/leave/", { params }))
        : ok(api.POST("/api/v1/studies/{slug}/members/{number}/return/", { params }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["study", slug] }),
  });
}

/** Adds people who have accounts here: all of them, or none, with the bad lines. */
export function useAddAccounts(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { addresses: string; role: Role }) =>
      ok(api.POST("/api/v1/studies/{slug}/members/", { params: { path: { slug } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["study", slug] }),
  });
}

/** How long after closing the study keeps the names of its experts. */
export function useRetention(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "retention"],
    queryFn: () => ok(api.GET("/api/v1/studies/{slug}/retention/", { params: { path: { slug } } })),
  });
}

export function useChangeRetention(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (months: number | null) =>
      ok(
        api.PUT("/api/v1/studies/{slug}/retention/", {
          params: { path: { slug } },
          body: { identities_kept_months: months },
        }),
      ),
    // The study's version grows, too.
    onSuccess: () => client.invalidateQueries({ queryKey: ["study", slug] }),
  });
}
