import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";

export type Order = "position" | "disagreement" | "-disagreement" | "worst";
export type Wanted = { search: string; order: Order; system: string; label: string; page: number };

const at = (slug: string) => ({ params: { path: { slug } } });

export function useDataset(slug: string) {
  return useQuery({
    queryKey: ["dataset", slug],
    queryFn: () => ok(api.GET("/api/v1/datasets/{slug}/", at(slug))),
  });
}

export function useTexts(slug: string, wanted: Wanted) {
  return useQuery({
    queryKey: ["dataset", slug, "texts", wanted],
    queryFn: () =>
      ok(
        api.GET("/api/v1/datasets/{slug}/instances/", {
          params: { path: { slug }, query: { ...wanted, limit: 25 } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

export function useText(slug: string, position: number) {
  return useQuery({
    queryKey: ["dataset", slug, "text", position],
    queryFn: () =>
      ok(
        api.GET("/api/v1/datasets/{slug}/instances/{position}/", {
          params: { path: { slug, position } },
        }),
      ),
  });
}

export function useGlance(slug: string) {
  return useQuery({
    queryKey: ["dataset", slug, "glance"],
    queryFn: () => ok(api.GET("/api/v1/datasets/{slug}/glance/", at(slug))),
  });
}

export function useSystems(slug: string) {
  return useQuery({
    queryKey: ["dataset", slug, "systems"],
    queryFn: () => ok(api.GET("/api/v1/datasets/{slug}/systems/", at(slug))),
  });
}

/** The method with which the others are compared: majority vote, as published. */
export const BASELINE = "MV";

/** Starts the comparison of a dataset's methods; if its result is stored, that run is the answer. */
export function useCompareMethods(slug: string) {
  const client = useQueryClient();
  const body = {
    analysis: "system_scores",
    parameters: { baseline: BASELINE },
    seed: null,
    rerun: false,
  };
  return useMutation({
    mutationFn: () => ok(api.POST("/api/v1/datasets/{slug}/runs/", { ...at(slug), body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["runs", "dataset", slug] }),
  });
}

export function useUses(slug: string) {
  return useQuery({
    queryKey: ["dataset", slug, "uses"],
    queryFn: () => ok(api.GET("/api/v1/datasets/{slug}/uses/", at(slug))),
  });
}

/** After any change to a dataset, everything shown about it is fetched again. */
function useChange<T>(slug: string, change: (value: T) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["dataset", slug] });
      await client.invalidateQueries({ queryKey: ["datasets"] });
    },
  });
}

export function useRename(slug: string) {
  return useChange(slug, (title: string) =>
    ok(api.PATCH("/api/v1/datasets/{slug}/", { ...at(slug), body: { title } })),
  );
}

export function useShowLabelAs(slug: string, position: number) {
  return useChange(slug, (display_name: string) =>
    ok(
      api.PATCH("/api/v1/datasets/{slug}/labels/{position}/", {
        params: { path: { slug, position } },
        body: { display_name },
      }),
    ),
  );
}

export function useFindLabelBy(slug: string, position: number) {
  return useChange(slug, (search_words: string[]) =>
    ok(
      api.PATCH("/api/v1/datasets/{slug}/labels/{position}/", {
        params: { path: { slug, position } },
        body: { search_words },
      }),
    ),
  );
}

export function useDeleteSystem(slug: string) {
  return useChange(slug, (name: string) =>
    ok(api.DELETE("/api/v1/datasets/{slug}/systems/{name}/", { params: { path: { slug, name } } })),
  );
}

export function useDeleteDataset(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => ok(api.DELETE("/api/v1/datasets/{slug}/", at(slug))),
    onSuccess: () => client.invalidateQueries({ queryKey: ["datasets"] }),
  });
}
