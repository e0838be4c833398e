import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api, ok } from "~/api/client";

const EACH = 50;

/** The expert's own answers in a study, newest first, one page at a time. */
export function useOwnAnswers(slug: string) {
  return useInfiniteQuery({
    queryKey: ["own-answers", slug],
    queryFn: ({ pageParam: page }) =>
      ok(
        api.GET("/api/v1/studies/{slug}/answers/", {
          params: { path: { slug }, query: { page, limit: EACH } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last, _, page) => (last.next === null ? undefined : page + 1),
    gcTime: 0,
  });
}

/** One of them, with text and chart as they were shown. */
export function useOwnAnswer(token: string) {
  return useQuery({
    queryKey: ["own-answer", token],
    queryFn: () =>
      ok(api.GET("/api/v1/assignments/{token}/answer/", { params: { path: { token } } })),
    gcTime: 0,
  });
}
