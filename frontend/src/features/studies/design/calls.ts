import {
  keepPreviousData,
  useMutation,
  useMutationState,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, every, ok } from "~/api/client";
import { putInPlace } from "~/api/query";
import type { paths } from "~/api/schema";
import type { Settings, Study } from "~/api/types";

/** Presets that choose every setting at once, in the order offered. */
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

/** Saves some settings of a draft. Refused if somebody else has changed it since `version`. */
export function useChangeSettings(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["settings", slug],
    mutationFn: (settings: Settings) => {
      // From the last response: changes are sent one after another, each with the version made by the one before.
      const version = client.getQueryData<Study>(["study", slug])?.version;
      const body = version === undefined ? settings : { ...settings, version };
      return ok(api.PATCH("/api/v1/studies/{slug}/", { params: { path: { slug } }, body }));
    },
    scope: { id: `settings-${slug}` },
    onSuccess: async (study) => {
      await putInPlace(client, ["study", slug], study);
      void client.invalidateQueries({ queryKey: ["study", slug, "setup"] });
      void client.invalidateQueries({ queryKey: ["study", slug, "preview"] });
    },
  });
}

/** A draft with the changes that are still on their way: a step that is opened again shows them, too. */
export function useWithUnsaved(study: Study): Study {
  const unsaved = useMutationState({
    filters: { mutationKey: ["settings", study.slug], status: "pending" },
    select: ({ state }) => {
      const { systems, ...others } = state.variables as Settings;
      return systems === undefined ? others : { ...others, chosen_systems: systems };
    },
  });
  return Object.assign({}, study, ...unsaved);
}

/** What the current settings, or others being tried out, amount to. Nothing is stored. */
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
    // The previous result stays while somebody types.
    placeholderData: keepPreviousData,
  });
}

/** What the stored settings amount to. */
export function useSetup(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "setup", "stored"],
    queryFn: () => ok(api.GET("/api/v1/studies/{slug}/setup/", { params: { path: { slug } } })),
  });
}

/** What each way of drawing the two sides costs and reveals, for a threshold that may only be being tried out. */
export function useDisplays(slug: string, threshold: number, compares: Study["compares"]) {
  return useQuery({
    queryKey: ["study", slug, "setup", "display", threshold, compares],
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/display/", {
          params: { path: { slug }, query: { display_threshold: threshold, compares } },
        }),
      ),
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

/** Markdown as experts will read it: the server makes and sanitises it. */
export function useMarkdown(markdown: string) {
  return useQuery({
    queryKey: ["markdown", markdown],
    queryFn: () => ok(api.POST("/api/v1/markdown/", { body: { markdown } })),
    enabled: markdown.trim() !== "",
    // The previous result stays while somebody types.
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The power curve, as drawn by the server. */
export function usePowerFigure(
  slug: string,
  tried: { instances_per_system: number; experts_per_comparison: number },
  size: "screen" | "one",
) {
  return useQuery({
    queryKey: ["study", slug, "setup", "power figure", tried, size],
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/power/figure/", {
          params: { path: { slug }, query: { ...tried, size } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

/** Creates a study with another one's settings. */
export function useCopyStudy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({
      of,
      title,
      keepsSeed = false,
    }: {
      of: string;
      title: string;
      keepsSeed?: boolean;
    }) =>
      ok(
        api.POST("/api/v1/studies/{slug}/copy/", {
          params: { path: { slug: of } },
          body: { title, slug: "", keeps_seed: keepsSeed },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ["studies"] }),
  });
}

type SetupUpload =
  paths["/api/v1/study-setups/"]["post"]["requestBody"]["content"]["application/json"];

/** Creates a study from settings that were downloaded as a file. The server says what is wrong with it. */
export function useBeginFromFile() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: { setup: unknown; title: string; dataset: string }) =>
      ok(api.POST("/api/v1/study-setups/", { body: asked as SetupUpload })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["studies"] }),
  });
}

/** Archives a study, or takes it out of the archive. */
export function useArchive(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (what: "archive" | "unarchive") =>
      ok(
        what === "archive"
          ? api.POST("/api/v1/studies/{slug}/archive/", { params: { path: { slug } } })
          : api.POST("/api/v1/studies/{slug}/unarchive/", { params: { path: { slug } } }),
      ),
    onSuccess: async (study) => {
      await putInPlace(client, ["study", slug], study);
      await client.invalidateQueries({ queryKey: ["studies"] });
    },
  });
}

export function useDeleteStudy(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (confirm: string) => {
      await ok(
        api.DELETE("/api/v1/studies/{slug}/", { params: { path: { slug }, query: { confirm } } }),
      );
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["studies"] }),
  });
}

/** Plans a draft according to its settings, replacing any earlier plan. */
export function useMakePlan(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => ok(api.POST("/api/v1/studies/{slug}/plan/", { params: { path: { slug } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["study", slug] }),
  });
}
