import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { ApiError } from "~/api/errors";
import type { Saved, Task } from "~/api/types";

/** Longer than any healthy answer takes; after it the page says that nothing arrived. */
const PATIENCE_MS = 20_000;

const taskKey = (slug: string) => ["task", slug] as const;

/** The unfinished assignment, or the next one. The server decides; asking again resumes the same. */
export function useTask(slug: string) {
  return useQuery({
    queryKey: taskKey(slug),
    queryFn: () => fetchTask(slug),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  });
}

function fetchTask(slug: string): Promise<Task> {
  return ok(
    api.POST("/api/studies/{slug}/next/", {
      params: { path: { slug } },
      signal: AbortSignal.timeout(PATIENCE_MS),
    }),
  );
}

/** A lost request is sent again unchanged: its key makes sure that it is stored once. */
const sendAgain = {
  retry: (failures: number, error: unknown) =>
    error instanceof ApiError && error.isTransient && failures < 3,
  retryDelay: (failures: number) => Math.min(500 * 2 ** failures, 4_000),
};

export type LabelsAnswer = { token: string; key: string; labels: number[]; active_ms: number };

/** Stores step 1; the answer is the same assignment at step 2. */
export function useSendLabels(slug: string) {
  const client = useQueryClient();
  return useMutation({
    ...sendAgain,
    mutationFn: ({ token, ...body }: LabelsAnswer) =>
      ok(
        api.POST("/api/assignments/{token}/labels/", {
          params: { path: { token } },
          body,
          signal: AbortSignal.timeout(PATIENCE_MS),
        }),
      ),
    onSuccess: (task) => client.setQueryData<Task>(taskKey(slug), task),
  });
}

export type PreferenceAnswer = {
  token: string;
  key: string;
  a_chosen: boolean;
  b_chosen: boolean;
  certainty: number;
  active_ms: number;
};

/** Stores step 2, then brings the next text. */
export function useSendPreference(slug: string) {
  const bringNext = useBringNext(slug);
  return useMutation({
    ...sendAgain,
    mutationFn: async ({ token, ...body }: PreferenceAnswer) => {
      const saved = await ok(
        api.POST("/api/assignments/{token}/preference/", {
          params: { path: { token } },
          body,
          signal: AbortSignal.timeout(PATIENCE_MS),
        }),
      );
      await bringNext(saved);
    },
  });
}

export const REASONS = ["unreadable", "distressing", "identifies_person", "other"] as const;
export type Reason = (typeof REASONS)[number];
export type Report = { token: string; key: string; reason: Reason; text: string; skip: boolean };

/** Stores a report; a skipped text makes room for the next one. */
export function useSendReport(slug: string) {
  const client = useQueryClient();
  const bringNext = useBringNext(slug);
  return useMutation({
    ...sendAgain,
    mutationFn: async ({ token, ...body }: Report) => {
      const saved = await ok(
        api.POST("/api/assignments/{token}/report/", {
          params: { path: { token } },
          body,
          signal: AbortSignal.timeout(PATIENCE_MS),
        }),
      );
      if (body.skip) return bringNext(saved);
      client.setQueryData<Task>(taskKey(slug), (task) => task && { ...task, ...saved });
    },
  });
}

/**
 * Fetches the next text after an answer was stored. Should that fail, the answer is safe all the same, and
 * the page must not say otherwise: it then holds no assignment and offers to look again.
 */
function useBringNext(slug: string) {
  const client = useQueryClient();
  return async (saved: Saved) => {
    try {
      const next = await client.fetchQuery({
        queryKey: taskKey(slug),
        queryFn: () => fetchTask(slug),
        staleTime: 0,
        ...sendAgain,
      });
      client.setQueryData<Task>(taskKey(slug), next);
    } catch {
      client.setQueryData<Task>(
        taskKey(slug),
        (task) => task && { ...task, ...saved, assignment: null, finished: "" },
      );
    }
    // The list of studies shows the same progress.
    void client.invalidateQueries({ queryKey: ["studies"] });
  };
}
