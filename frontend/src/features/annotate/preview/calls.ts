import { useMutation, useQuery } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import type { Task } from "~/api/types";

/** The first texts of a study, each in step 1. Kept only in this page's memory, like an expert's texts. */
export function usePreview(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "preview"],
    queryFn: () => ok(api.GET("/api/v1/studies/{slug}/preview/", { params: { path: { slug } } })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** Step 2 of one of them, once step 1 is answered. Nothing is stored. */
export function usePreviewStep2(slug: string) {
  return useMutation({
    mutationFn: ({ number, labels }: { number: number; labels: number[] }): Promise<Task> =>
      ok(
        api.POST("/api/v1/studies/{slug}/preview/{number}/step-2/", {
          params: { path: { slug, number } },
          body: { labels },
        }),
      ),
  });
}
