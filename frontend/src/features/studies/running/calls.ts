import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, ok } from "~/api/client";

/** A running study's systems, and which of them are paused. */
export function useRunningSystems(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "systems"],
    queryFn: () =>
      every((query) =>
        api.GET("/api/v1/studies/{slug}/systems/", { params: { path: { slug }, query } }),
      ),
  });
}

/** What adding places would cost. Nothing is stored. */
export function usePlacesCost(slug: string, { more, system }: { more: number; system: string }) {
  return useQuery({
    queryKey: ["study", slug, "places", { more, system }],
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/places/", {
          params: { path: { slug }, query: { more, ...(system && { system }) } },
        }),
      ),
    // The previous result stays while somebody types.
    placeholderData: keepPreviousData,
  });
}

export type Change =
  | { what: "places"; more: number; system: string }
  | { what: "pause" | "resume"; system: string };

/** Changes a running study; its pages are fetched again afterwards. */
export function useChangeRunning(slug: string) {
  const client = useQueryClient();
  const params = { path: { slug } };
  return useMutation({
    mutationFn: async (change: Change) => {
      const { system } = change;
      if (change.what === "places") {
        const body = { more: change.more, ...(system && { systems: [system] }) };
        await ok(api.POST("/api/v1/studies/{slug}/places/", { params, body }));
      } else if (change.what === "pause") {
        await ok(api.POST("/api/v1/studies/{slug}/systems/pause/", { params, body: { system } }));
      } else {
        await ok(api.POST("/api/v1/studies/{slug}/systems/resume/", { params, body: { system } }));
      }
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["study", slug] }),
  });
}
