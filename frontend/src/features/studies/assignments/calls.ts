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

export type GridRow =
  paths["/api/v1/studies/{slug}/assignments/grid/"]["get"]["responses"][200]["content"]["application/json"]["results"][number];
type GridState = NonNullable<
  NonNullable<
    paths["/api/v1/studies/{slug}/assignments/grid/"]["get"]["parameters"]["query"]
  >["state"]
>;

export type GridFilters = {
  state: string;
  system: string;
  search: string;
  expert: string;
  page: number;
};

/** A page of comparisons with the experts who have a place in them. */
export function useGrid(slug: string, filters: GridFilters) {
  const { state, system, search, expert, page } = filters;
  return useQuery({
    queryKey: ["study", slug, "assignments", "grid", filters],
    placeholderData: keepPreviousData,
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/assignments/grid/", {
          params: {
            path: { slug },
            query: {
              page,
              limit: ROWS,
              ...(state && { state: state as GridState }),
              ...(system && { system }),
              ...(search && { search }),
              ...(expert && { expert: Number(expert) }),
            },
          },
        }),
      ),
  });
}

/** What experts said they work on, and the labels it can be matched with. */
export function useSpecialisms(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "assignments", "specialisms"],
    queryFn: () =>
      ok(api.GET("/api/v1/studies/{slug}/assignments/share/", { params: { path: { slug } } })),
  });
}

/** The labels of each specialism. */
export type Matched = Record<string, string[]>;

/** What sharing by specialism would assign, without assigning it; fetched on demand. */
export function useTrial(slug: string) {
  return useMutation({
    mutationFn: (labels: Matched) =>
      ok(
        api.POST("/api/v1/studies/{slug}/assignments/share/", {
          params: { path: { slug } },
          body: { rule: "specialism", labels, dry_run: true },
        }),
      ),
  });
}

/** What each expert has, and the last change. */
export function useSummary(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "assignments", "summary"],
    queryFn: () =>
      ok(api.GET("/api/v1/studies/{slug}/assignments/summary/", { params: { path: { slug } } })),
  });
}

/** A change of assignments, after which the page is fetched again. */
export type Act =
  | { what: "give"; expert: number; comparisons: number[]; extra: boolean }
  | { what: "take-back"; places: number[] }
  | { what: "move"; places: number[]; to: number }
  | { what: "share"; labels?: Matched }
  | { what: "upload"; csv: string; dry_run: boolean }
  | { what: "undo"; event: number };

/** Changes assignments. The selection is cleared (`onDone`) before the page shows the outcome. */
export function useAct(slug: string, onDone?: () => void) {
  const client = useQueryClient();
  const params = { path: { slug } };
  return useMutation({
    mutationFn: (act: Act) => {
      switch (act.what) {
        case "give": {
          const { expert, comparisons, extra } = act;
          const body = { expert, comparisons, extra };
          return ok(api.POST("/api/v1/studies/{slug}/assignments/give/", { params, body }));
        }
        case "take-back": {
          const body = { places: act.places };
          return ok(api.POST("/api/v1/studies/{slug}/assignments/take-back/", { params, body }));
        }
        case "move": {
          const body = { places: act.places, to: act.to };
          return ok(api.POST("/api/v1/studies/{slug}/assignments/move/", { params, body }));
        }
        case "share":
          return ok(
            api.POST("/api/v1/studies/{slug}/assignments/share/", {
              params,
              body: act.labels
                ? { rule: "specialism", labels: act.labels, dry_run: false }
                : { rule: "balance", dry_run: false },
            }),
          );
        case "upload": {
          const body = { csv: act.csv, dry_run: act.dry_run };
          return ok(api.POST("/api/v1/studies/{slug}/assignments/upload/", { params, body }));
        }
        case "undo": {
          const body = { event: act.event };
          return ok(api.POST("/api/v1/studies/{slug}/assignments/undo/", { params, body }));
        }
      }
    },
    onSuccess: (done) => {
      if (!("problems" in done) || done.problems.length === 0) onDone?.();
      return client.invalidateQueries({ queryKey: ["study", slug] });
    },
  });
}
