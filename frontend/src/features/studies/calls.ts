import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";

export function useStudy(slug: string) {
  return useQuery({
    queryKey: ["study", slug],
    queryFn: () => ok(api.GET("/api/v1/studies/{slug}/", { params: { path: { slug } } })),
  });
}

export function usePlan(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "plan"],
    queryFn: () => ok(api.GET("/api/v1/studies/{slug}/plan/", { params: { path: { slug } } })),
  });
}

export const COMPARISONS_A_PAGE = 25;

export function usePlanComparisons(
  slug: string,
  { page, system, search }: { page: number; system: string; search: string },
) {
  const query = {
    page,
    limit: COMPARISONS_A_PAGE,
    ...(system && { system }),
    ...(search && { search }),
  };
  return useQuery({
    queryKey: ["study", slug, "plan", "comparisons", query],
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/plan/comparisons/", { params: { path: { slug }, query } }),
      ),
    placeholderData: keepPreviousData,
  });
}

export type NextState = "pilot" | "open" | "paused" | "closed";

/** The states the study can move to, and what each of them fixes. */
export function useNextStates(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "transition"],
    queryFn: () =>
      ok(api.GET("/api/v1/studies/{slug}/transition/", { params: { path: { slug } } })),
    refetchOnMount: "always", // it counts people, whose number may have changed
  });
}

/** Moves the study to another state; the server says what is allowed. */
export function useTransition(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (to: NextState) =>
      ok(
        api.POST("/api/v1/studies/{slug}/transition/", {
          params: { path: { slug } },
          body: { to },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["study", slug] });
      await client.invalidateQueries({ queryKey: ["studies"] });
    },
  });
}
