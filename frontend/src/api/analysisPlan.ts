import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "./client";
import type { PlannedAnalysis } from "./types";

/** What a study plans to compute; fixed when it opens. Cached under the study, so that opening it refetches this. */
export function useAnalysisPlan(slug: string, enabled = true) {
  return useQuery({
    queryKey: ["study", slug, "analysis-plan"],
    queryFn: () =>
      ok(api.GET("/api/v1/studies/{slug}/analysis-plan/", { params: { path: { slug } } })),
    enabled,
  });
}

/** The plan in sentences, and the ready-made plans to choose from. */
export function usePlanInWords(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "analysis-plan", "words"],
    queryFn: () =>
      ok(api.GET("/api/v1/studies/{slug}/analysis-plan/words/", { params: { path: { slug } } })),
  });
}

/** Replaces the whole plan. */
export function useSetAnalysisPlan(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (planned: PlannedAnalysis[]) =>
      ok(
        api.PUT("/api/v1/studies/{slug}/analysis-plan/", {
          params: { path: { slug } },
          body: { planned },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ["study", slug, "analysis-plan"] }),
  });
}
