import { skipToken, useMutation, useQuery } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { ApiError } from "~/api/errors";
import type { Next, Task } from "~/api/types";
import { PATIENCE_MS } from "~/outbox/kinds";

/** Texts are confidential: they are kept only in this page's memory, and removed when no longer shown. */
const inMemoryOnly = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnReconnect: false,
} as const;

export const taskKey = (owner: number, slug: string) => ["task", owner, slug] as const;
export const aheadKey = (owner: number, slug: string, token: string) =>
  ["ahead", owner, slug, token] as const;

/** The unfinished assignment, or the next one. The server decides; asking again resumes the same one. */
export function useTask(owner: number, slug: string) {
  return useQuery({
    ...inMemoryOnly,
    queryKey: taskKey(owner, slug),
    queryFn: (): Promise<Task> =>
      ok(
        api.POST("/api/v1/studies/{slug}/next/", {
          params: { path: { slug } },
          signal: AbortSignal.timeout(PATIENCE_MS),
        }),
      ),
  });
}

/** What comes after the assignment in hand, once a response has brought it. It is never requested by itself. */
export function useAhead(owner: number, slug: string, token: string | null) {
  return useQuery<Next>({
    ...inMemoryOnly,
    queryKey: aheadKey(owner, slug, token ?? ""),
    queryFn: skipToken,
  });
}

/** Step 2 of the last completed assignment with the expert's own answer, to change it. */
export function useLastAnswered(slug: string) {
  return useMutation({
    mutationFn: (): Promise<Task> =>
      ok(
        api.POST("/api/v1/studies/{slug}/last/", {
          params: { path: { slug } },
          signal: AbortSignal.timeout(PATIENCE_MS),
        }),
      ),
  });
}

/** Tells the server that the practice is over, so that no other device starts with it. */
export function usePractised(slug: string) {
  return useMutation({
    mutationFn: () =>
      ok(api.POST("/api/v1/studies/{slug}/practised/", { params: { path: { slug } } })),
    retry: (failures, error) => error instanceof ApiError && error.isTransient && failures < 3,
  });
}
