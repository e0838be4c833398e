import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import type { Task } from "~/api/types";
import { useOutbox } from "~/outbox/OutboxProvider";
import { taskKey } from "../desk/calls";

/** The comparisons to guess about; none while anything is left to answer or still being sent. */
export function useGuesses({ study, saved_at, finished }: Task) {
  return useQuery({
    // An answer saved since may have been the last one.
    queryKey: ["guesses", study.slug, saved_at],
    queryFn: () =>
      ok(api.GET("/api/v1/studies/{slug}/guesses/", { params: { path: { slug: study.slug } } })),
    enabled: finished === "all_done" && study.asks_guess,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** Asks for more texts than were promised; the page continues with the first of them. */
export function useMore(slug: string) {
  const client = useQueryClient();
  const { owner } = useOutbox();
  return useMutation({
    mutationFn: (): Promise<Task> =>
      ok(api.POST("/api/v1/studies/{slug}/more/", { params: { path: { slug } } })),
    onSuccess: (task) => client.setQueryData(taskKey(owner, slug), task),
  });
}
