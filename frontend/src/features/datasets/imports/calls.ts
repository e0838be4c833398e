import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, newest, ok } from "~/api/client";
import { isActive } from "~/components/JobProgress";

export function useImportFormats() {
  return useQuery({
    queryKey: ["import-formats"],
    queryFn: () => every((query) => api.GET("/api/v1/import-formats/", { params: { query } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useImport(id: string | null) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["import", id],
    enabled: id !== null,
    queryFn: async () => {
      const job = await ok(
        api.GET("/api/v1/imports/{id}/", { params: { path: { id: id ?? "" } } }),
      );
      if (job.state === "succeeded" && !job.dry_run) {
        void client.invalidateQueries({ queryKey: ["datasets"] });
        void client.invalidateQueries({ queryKey: ["dataset", job.dataset] });
      }
      return job;
    },
    refetchInterval: (query) =>
      query.state.data && isActive(query.state.data.state) ? 1_000 : false,
  });
}

export function useImports() {
  return useQuery({
    queryKey: ["imports"],
    queryFn: () => newest(api.GET("/api/v1/imports/", { params: { query: { limit: 50 } } })),
  });
}

/** Delete what an import stored. */
export function useUndoImport(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => ok(api.POST("/api/v1/imports/{id}/undo/", { params: { path: { id } } })),
    onSuccess: () =>
      Promise.all(
        [["import", id], ["imports"], ["datasets"], ["dataset"]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export function useCancelImport(id: string | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      ok(api.POST("/api/v1/imports/{id}/cancel/", { params: { path: { id: id ?? "" } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["import", id] }),
  });
}
