import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import type { paths } from "~/api/schema";

type Address = "/api/v1/studies/{slug}/assignments/";
type Listed = paths[Address]["get"];
export type AssignmentRow =
  Listed["responses"][200]["content"]["application/json"]["results"][number];
export type AssignedPlace = AssignmentRow["places"][number];

export type Filters = { expert: string; state: string; search: string; page: number };

export const ROWS = 50;

/** A page of comparisons with their places. */
export function useAssignments(slug: string, { expert, state, search, page }: Filters) {
  return useQuery({
    queryKey: ["study", slug, "assignments", { expert, state, search, page }],
    placeholderData: keepPreviousData,
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/assignments/", {
          params: {
            path: { slug },
            query: {
              page,
              limit: ROWS,
              ...(expert && { expert: Number(expert) }),
              ...(state && { state: state as AssignedPlace["state"] }),
              ...(search && { search }),
            },
          },
        }),
      ),
  });
}

/** What each expert has, and what was changed last. */
export function useSummary(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "assignments", "summary"],
    queryFn: () =>
      ok(api.GET("/api/v1/studies/{slug}/assignments/summary/", { params: { path: { slug } } })),
  });
}

/** A change of assignments; the page is read again afterwards. */
export type Act =
  | { what: "give"; expert: number; comparisons: number[]; extra: boolean }
  | { what: "take-back"; places: number[] }
  | { what: "move"; places: number[]; to: number }
  | { what: "share" }
  | { what: "upload"; csv: string; dry_run: boolean }
  | { what: "undo"; event: number };

export function useAct(slug: string) {
  const client = useQueryClient();
  const params = { path: { slug } };
  return useMutation({
    mutationFn: (act: Act) => {
      switch (act.what) {
        case "give":
          return ok(api.POST("/api/v1/studies/{slug}/assignments/give/", { params, body: act }));
        case "take-back":
          return ok(
            api.POST("/api/v1/studies/{slug}/assignments/take-back/", { params, body: act }),
          );
        case "move":
          return ok(api.POST("/api/v1/studies/{slug}/assignments/move/", { params, body: act }));
        case "share":
          return ok(
            api.POST("/api/v1/studies/{slug}/assignments/share/", {
              params,
              body: { rule: "balance" },
            }),
          );
        case "upload":
          return ok(api.POST("/api/v1/studies/{slug}/assignments/upload/", { params, body: act }));
        case "undo":
          return ok(api.POST("/api/v1/studies/{slug}/assignments/undo/", { params, body: act }));
      }
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["study", slug] }),
  });
}
