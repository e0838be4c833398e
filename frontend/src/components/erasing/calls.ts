import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";

/** What is to be erased, as the API names it. */
export type Target = {
  what: "person" | "text" | "study" | "dataset";
  person?: number;
  study?: string;
  number?: number;
  dataset?: string;
  position?: number;
};

const STEP_MS = 1000;

/** What would go and what stays. The server counts it anew each time. */
export function usePreview(target: Target, withAnswers: boolean, enabled: boolean) {
  return useQuery({
    queryKey: ["erasing", target, withAnswers],
    queryFn: () =>
      ok(api.POST("/api/v1/erasures/preview/", { body: { ...target, with_answers: withAnswers } })),
    enabled,
    gcTime: 0,
    retry: false,
  });
}

export function useErase() {
  return useMutation({
    mutationFn: (body: Target & { with_answers: boolean; typed: string; reason: string }) =>
      ok(api.POST("/api/v1/erasures/", { body })),
  });
}

/** How far an erasure is, until it has ended. */
export function useErasure(id: string | undefined) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["erasure", id],
    queryFn: async () => {
      const found = await ok(
        api.GET("/api/v1/erasures/{id}/", { params: { path: { id: id ?? "" } } }),
      );
      if (found.finished_at) await client.invalidateQueries({ queryKey: ["users"] });
      return found;
    },
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.finished_at ? false : STEP_MS),
  });
}
