import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";

export function useReports(slug: string, page: number) {
  return useQuery({
    queryKey: ["study", slug, "reports", page],
    queryFn: () =>
      ok(
        api.GET("/api/v1/studies/{slug}/reports/", { params: { path: { slug }, query: { page } } }),
      ),
  });
}

/** The text a report is about, on request. */
export function useReportedText(slug: string, id: number, isAsked: boolean) {
  return useQuery({
    queryKey: ["study", slug, "reported", id],
    queryFn: () =>
      ok(api.GET("/api/v1/studies/{slug}/reports/{id}/text/", { params: { path: { slug, id } } })),
    enabled: isAsked,
    gcTime: 0,
  });
}

export type Verdict = "confirmed" | "dismissed" | "shown_again";
export type Decision = { id: number; verdict: Verdict; note: string };

export function useDecide(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: Decision) =>
      ok(
        api.POST("/api/v1/studies/{slug}/reports/{id}/decisions/", {
          params: { path: { slug, id } },
          body,
        }),
      ),
    // The count on the study's page changes, too, and so do other reports about the same text.
    onSuccess: () => client.invalidateQueries({ queryKey: ["study", slug] }),
  });
}
