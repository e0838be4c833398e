import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import type { paths } from "~/api/schema";

type Query = NonNullable<paths["/api/v1/studies/{slug}/events/"]["get"]["parameters"]["query"]>;

export type HistoryFilters = {
  action: string;
  actor: string;
  from: string;
  to: string;
};

export const EVERYTHING: HistoryFilters = { action: "", actor: "", from: "", to: "" };

export function useHistory(slug: string, filters: HistoryFilters, page: number) {
  const { action, actor, from, to } = filters;
  return useQuery({
    queryKey: ["study", slug, "events", filters, page],
    placeholderData: keepPreviousData,
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/events/", {
          params: {
            path: { slug },
            query: {
              page,
              ...(action && { action: action as NonNullable<Query["action"]> }),
              ...(actor && { actor }),
              ...(from && { from }),
              ...(to && { to }),
            },
          },
        }),
      ),
  });
}

/** What the history contains, to filter it by. */
export function useHistorySummary(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "events", "summary"],
    queryFn: () =>
      ok(api.GET("/api/v1/studies/{slug}/events/summary/", { params: { path: { slug } } })),
  });
}
