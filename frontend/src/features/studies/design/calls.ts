import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, ok } from "~/api/client";
import type { Settings, Study } from "~/api/types";

/** Choices that set everything at once, in the order in which they are offered. */
export function usePresets() {
  return useQuery({
    queryKey: ["study-presets"],
    queryFn: () => every((query) => api.GET("/api/v1/study-presets/", { params: { query } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useWordings(task: string, language: string) {
  return useQuery({
    queryKey: ["question-wordings", task, language],
    queryFn: () =>
      every((query) =>
        api.GET("/api/v1/question-wordings/", {
          params: { query: { ...query, task: task as "multilabel", language } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useBeginStudy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { title: string; dataset: string; preset: "original" | "safe" }) =>
      ok(api.POST("/api/v1/studies/", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["studies"] }),
  });
}

/** Saves some settings of a draft. Refused when somebody else has changed it since `version`. */
export function useChangeSettings(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (settings: Settings) => {
      // As the last answer said: one change after the other, each knows the version that the one before it made.
      const version = client.getQueryData<Study>(["study", slug])?.version;
      const body = version === undefined ? settings : { ...settings, version };
      return ok(api.PATCH("/api/v1/studies/{slug}/", { params: { path: { slug } }, body }));
    },
    scope: { id: `settings-${slug}` },
    onSuccess: (study) => {
      client.setQueryData(["study", slug], study);
      void client.invalidateQueries({ queryKey: ["study", slug, "setup"] });
    },
  });
}

/** What the settings, or others that are only tried, amount to. Nothing is stored. */
export function useSetupNumbers(
  slug: string,
  tried: { instances_per_system: number; experts_per_comparison: number },
) {
  return useQuery({
    queryKey: ["study", slug, "setup", tried],
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/setup/", {
          params: { path: { slug }, query: tried },
        }),
      ),
    // What was there stays while somebody types.
    placeholderData: keepPreviousData,
  });
}

export function usePower(
  slug: string,
  tried: { instances_per_system: number; experts_per_comparison: number },
) {
  return useQuery({
    queryKey: ["study", slug, "setup", "power", tried],
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/power/", {
          params: { path: { slug }, query: tried },
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

/** Plans a draft by its settings, in place of the plan that it had. */
export function useMakePlan(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => ok(api.POST("/api/v1/studies/{slug}/plan/", { params: { path: { slug } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["study", slug] }),
  });
}
