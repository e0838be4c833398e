import { useMutation, useQuery } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { ApiError } from "~/api/errors";
import type { Task } from "~/api/types";
import { PATIENCE_MS } from "~/outbox/kinds";

/** Texts are confidential: what is fetched lives in this page's memory only, and goes when it is not shown. */
const inMemoryOnly = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnReconnect: false,
} as const;

export const taskKey = (owner: number, slug: string) => ["task", owner, slug] as const;
export const aheadKey = (owner: number, slug: string, token: string) =>
  ["ahead", owner, slug, token] as const;

/** The unfinished assignment, or the next one. The server decides; asking again resumes the same. */
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

/** What comes after the assignment in hand, fetched while the expert works on that. `null`: not now. */
export function useAhead(owner: number, slug: string, token: string | null) {
  return useQuery({
    ...inMemoryOnly,
    queryKey: aheadKey(owner, slug, token ?? ""),
    enabled: token !== null,
    queryFn: (): Promise<Task> =>
      ok(
        api.POST("/api/v1/assignments/{token}/following/", {
          params: { path: { token: token ?? "" } },
          signal: AbortSignal.timeout(PATIENCE_MS),
        }),
      ),
    // Nobody waits for it: with patience, until it is there.
    retry: (_failures, error) => error instanceof ApiError && error.isTransient,
    retryDelay: (failures) => Math.min(1_000 * 2 ** failures, 30_000),
  });
}

/** Step 2 of the last completed assignment with the expert's own answer, to be changed. */
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

/** Says that the practice is over, so that no other device shows it first. */
export function usePractised(slug: string) {
  return useMutation({
    mutationFn: () =>
      ok(api.POST("/api/v1/studies/{slug}/practised/", { params: { path: { slug } } })),
    retry: (failures, error) => error instanceof ApiError && error.isTransient && failures < 3,
  });
}
