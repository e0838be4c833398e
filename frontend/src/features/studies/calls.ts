import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, ok } from "~/api/client";

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

export function useExports(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "exports"],
    queryFn: () =>
      every((query) =>
        api.GET("/api/v1/studies/{slug}/exports/", { params: { path: { slug }, query } }),
      ),
  });
}

export function useEvents(slug: string, page: number) {
  return useQuery({
    queryKey: ["study", slug, "events", page],
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/events/", { params: { path: { slug }, query: { page } } }),
      ),
  });
}

export type NextState = "pilot" | "open" | "paused" | "closed";

/** Moves the study through its life; the server says what is allowed. */
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
