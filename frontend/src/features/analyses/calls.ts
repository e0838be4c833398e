import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { isActive } from "~/components/JobProgress";

/** How often a running job is looked at: often enough to feel alive, seldom enough to cost nothing. */
const LOOK_EVERY_MS = 1_000;

export function useAnalyses() {
  return useQuery({
    queryKey: ["analyses"],
    queryFn: () => ok(api.GET("/api/analyses/")),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useRuns(slug: string) {
  return useQuery({
    queryKey: ["runs", slug],
    queryFn: () => ok(api.GET("/api/studies/{slug}/runs/", { params: { path: { slug } } })),
    refetchInterval: (query) =>
      query.state.data?.some((run) => isActive(run.state)) ? LOOK_EVERY_MS * 2 : false,
  });
}

export function useStartRun(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: {
      analysis: string;
      parameters: Record<string, unknown>;
      seed: number | null;
    }) => ok(api.POST("/api/studies/{slug}/runs/", { params: { path: { slug } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["runs", slug] }),
  });
}

export function useRun(id: string) {
  return useQuery({
    queryKey: ["run", id],
    queryFn: () => ok(api.GET("/api/runs/{id}/", { params: { path: { id } } })),
    refetchInterval: (query) =>
      query.state.data && isActive(query.state.data.state) ? LOOK_EVERY_MS : false,
  });
}

export function useRunAct(id: string, act: "cancel" | "retry") {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      act === "cancel"
        ? ok(api.POST("/api/runs/{id}/cancel/", { params: { path: { id } } }))
        : ok(api.POST("/api/runs/{id}/retry/", { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["run", id] }),
  });
}

export function useFigure(id: string, name: string) {
  return useQuery({
    queryKey: ["run", id, "figure", name],
    queryFn: () =>
      ok(api.GET("/api/runs/{id}/figures/{name}/", { params: { path: { id, name } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
