import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, newest, ok } from "~/api/client";
import type { StudyDocument } from "~/api/types";
import { isActive } from "~/components/JobProgress";

const documentsOf = (slug: string) => ["study", slug, "documents"];

/** The newest documents; fetched again while one is being made. */
export function useDocuments(slug: string) {
  return useQuery({
    queryKey: documentsOf(slug),
    queryFn: () =>
      newest(
        api.GET("/api/v1/studies/{slug}/documents/", {
          params: { path: { slug }, query: { limit: 20 } },
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data?.some((one) => isActive(one.state)) ? 1_000 : false,
  });
}

export type Wish = { kind: StudyDocument["kind"]; with_texts: boolean };

export function useAskForDocument(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: (body: Wish) =>
      ok(api.POST("/api/v1/studies/{slug}/documents/", { params: { path: { slug } }, body })),
    onSuccess: refresh,
  });
}

export function useCancelDocument(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: (id: string) =>
      ok(api.POST("/api/v1/documents/{id}/cancel/", { params: { path: { id } } })),
    onSuccess: refresh,
  });
}

function useRefresh(slug: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: documentsOf(slug) });
}
