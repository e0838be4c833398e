import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, newest, ok } from "~/api/client";
import { putInPlace } from "~/api/query";
import type { Training } from "~/api/types";
import { isChanging, isUnderWay } from "./words";

/** How often a training that is under way is polled. Its parts take seconds at least. */
const LOOK_EVERY_MS = 2_000;
/** How often its loss curves are drawn again, so that nobody reads a figure that keeps moving. */
const DRAW_EVERY_MS = 15_000;
/** How many trainings the list shows. */
const NEWEST = 100;

const at = (slug: string) => ({ params: { path: { slug } } });

/** What can be trained on a dataset. */
export function useTrainingForm(slug: string) {
  return useQuery({
    queryKey: ["dataset", slug, "training-form"],
    queryFn: () => ok(api.GET("/api/v1/datasets/{slug}/trainings/form/", at(slug))),
  });
}

export function useTrainings(slug: string) {
  return useQuery({
    queryKey: ["dataset", slug, "trainings"],
    queryFn: () =>
      newest(
        api.GET("/api/v1/datasets/{slug}/trainings/", {
          params: { path: { slug }, query: { limit: NEWEST } },
        }),
      ),
    refetchInterval: (query) =>
      query.state.data?.some(({ state }) => isUnderWay(state)) ? LOOK_EVERY_MS * 2 : false,
  });
}

/** Has a training checked and measured; nothing is trained yet. */
export function usePrepare(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { parameters: Record<string, unknown>; seed: number }) =>
      ok(api.POST("/api/v1/datasets/{slug}/trainings/", { ...at(slug), body })),
    onSuccess: async (training) => {
      await putInPlace(client, ["training", training.id], training);
      return client.invalidateQueries({ queryKey: ["dataset", slug, "trainings"] });
    },
  });
}

export function useTraining(id: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["training", id],
    queryFn: async () => {
      const training = await ok(api.GET("/api/v1/trainings/{id}/", { params: { path: { id } } }));
      const before = client.getQueryData<Training>(["training", id]);
      // What it has made since is missing in everything that was fetched about the dataset.
      if (before && before.standing.systems.length !== training.standing.systems.length) {
        void client.invalidateQueries({ queryKey: ["dataset", training.dataset] });
        void client.invalidateQueries({ queryKey: ["datasets"] });
      }
      return training;
    },
    refetchInterval: (query) =>
      query.state.data && isChanging(query.state.data) ? LOOK_EVERY_MS : false,
  });
}

export type Act = "start" | "stop" | "resume";

export function useTrainingAct(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (act: Act) => {
      const params = { params: { path: { id } } };
      if (act === "start") return ok(api.POST("/api/v1/trainings/{id}/start/", params));
      if (act === "stop") return ok(api.POST("/api/v1/trainings/{id}/stop/", params));
      return ok(api.POST("/api/v1/trainings/{id}/resume/", params));
    },
    onSuccess: async (training) => {
      await putInPlace(client, ["training", id], training);
      return client.invalidateQueries({ queryKey: ["dataset", training.dataset, "trainings"] });
    },
    // Somebody else may have been faster: then the page shows what it is now.
    onError: () => client.invalidateQueries({ queryKey: ["training", id] }),
  });
}

/** The loss by epoch as a chart; while a training is under way it grows. */
export function useCurves(training: Training, size: "screen" | "one") {
  const { id, state } = training;
  return useQuery({
    queryKey: ["training", id, "curves", size, state],
    queryFn: () =>
      ok(
        api.GET("/api/v1/trainings/{id}/curves/", {
          params: { path: { id }, query: { size } },
        }),
      ),
    enabled: training.standing.has_curves,
    placeholderData: keepPreviousData,
    refetchInterval: isChanging(training) ? DRAW_EVERY_MS : false,
  });
}
