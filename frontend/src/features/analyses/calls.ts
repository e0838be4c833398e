import { t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, newest, ok } from "~/api/client";
import { isActive } from "~/components/JobProgress";
import { readable } from "~/components/words";
import { keyOf, type Subject } from "./subject";

/** How often a running job is polled: often enough to feel live, rarely enough to cost nothing. */
const LOOK_EVERY_MS = 1_000;

/** How many runs a list shows. */
const NEWEST = 100;

/** All analyses, for their titles and parameter names. */
export function useAnalyses() {
  return useQuery({
    queryKey: ["analyses"],
    queryFn: () => every((query) => api.GET("/api/v1/analyses/", { params: { query } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What an analysis asks, in plain words. */
export function useQuestion(name: string | undefined): string {
  const analyses = useAnalyses();
  if (!name) return t`Analysis`;
  return analyses.data?.find((one) => one.name === name)?.question ?? readable(name);
}

/** The analyses available for a subject, with its own metrics, labels and systems to choose from. */
export function usePossibleAnalyses(subject: Subject, tell = false) {
  return useQuery({
    queryKey: ["analyses", ...keyOf(subject), tell],
    queryFn: () => {
      if (subject.kind === "free")
        return every((query) => api.GET("/api/v1/analyses/free/", { params: { query } }));
      const path = { slug: subject.slug };
      return subject.kind === "study"
        ? every((query) =>
            api.GET("/api/v1/studies/{slug}/analyses/", {
              params: { path, query: { ...query, answers: tell } },
            }),
          )
        : every((query) =>
            api.GET("/api/v1/datasets/{slug}/analyses/", { params: { path, query } }),
          );
    },
  });
}

export function useRuns(subject: Subject, tell = false) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["runs", ...keyOf(subject), tell],
    queryFn: async () => {
      const rows = await fetchRuns(subject, tell);
      // A run that has just ended is the newest answer to its question.
      const before = client.getQueryData<typeof rows>(["runs", ...keyOf(subject), tell]) ?? [];
      const ended = before.some(
        ({ id, state }) =>
          isActive(state) && rows.some((row) => row.id === id && !isActive(row.state)),
      );
      if (ended) void client.invalidateQueries({ queryKey: ["analyses", ...keyOf(subject)] });
      return rows;
    },
    refetchInterval: (query) =>
      query.state.data?.some((run) => isActive(run.state)) ? LOOK_EVERY_MS * 2 : false,
  });
}

function fetchRuns(subject: Subject, tell: boolean) {
  const query = { limit: NEWEST };
  if (subject.kind === "free") return newest(api.GET("/api/v1/runs/", { params: { query } }));
  const path = { slug: subject.slug };
  return subject.kind === "study"
    ? newest(
        api.GET("/api/v1/studies/{slug}/runs/", {
          params: { path, query: { ...query, answers: tell } },
        }),
      )
    : newest(api.GET("/api/v1/datasets/{slug}/runs/", { params: { path, query } }));
}

export type Asked = {
  analysis: string;
  parameters: Record<string, unknown>;
  seed: number | null;
  datasets: string[];
};

export function useStartRun(subject: Subject) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ datasets, ...question }: Asked) => {
      const body = { ...question, rerun: false };
      if (subject.kind === "free") {
        return ok(api.POST("/api/v1/runs/", { body: { ...body, datasets } }));
      }
      const params = { path: { slug: subject.slug } };
      return subject.kind === "study"
        ? ok(api.POST("/api/v1/studies/{slug}/runs/", { params, body }))
        : ok(api.POST("/api/v1/datasets/{slug}/runs/", { params, body }));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["runs", ...keyOf(subject)] }),
  });
}

/** Which run: by its id, or by its number within an analysis of a study. */
export type Which = { id: string } | { slug: string; analysis: string; number: number };

export function useRun(which: Which) {
  return useQuery({
    queryKey: "id" in which ? ["run", which.id] : ["run", which.slug, which.analysis, which.number],
    queryFn: () =>
      "id" in which
        ? ok(api.GET("/api/v1/runs/{id}/", { params: { path: { id: which.id } } }))
        : ok(
            api.GET("/api/v1/studies/{slug}/results/{analysis}/{number}/", {
              params: { path: which },
            }),
          ),
    refetchInterval: (query) =>
      query.state.data && isActive(query.state.data.state) ? LOOK_EVERY_MS : false,
  });
}

/** Finished runs of one analysis about the same subject, newest first, to compare a result with. */
export function useRunsOf(subject: Subject, analysis: string, enabled: boolean) {
  const query = { limit: NEWEST, analysis, state: "succeeded" as const };
  return useQuery({
    queryKey: ["runs", ...keyOf(subject), "of", analysis],
    queryFn: () => {
      if (subject.kind === "free") return newest(api.GET("/api/v1/runs/", { params: { query } }));
      const params = { path: { slug: subject.slug }, query };
      return subject.kind === "study"
        ? newest(api.GET("/api/v1/studies/{slug}/runs/", { params }))
        : newest(api.GET("/api/v1/datasets/{slug}/runs/", { params }));
    },
    enabled,
  });
}

export function useComparison(first: string, second: string) {
  return useQuery({
    queryKey: ["run", first, "comparison", second],
    queryFn: () =>
      ok(
        api.GET("/api/v1/runs/{id}/comparison/{other}/", {
          params: { path: { id: first, other: second } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useCitation(id: string, enabled: boolean) {
  return useQuery({
    queryKey: ["run", id, "citation"],
    queryFn: () => ok(api.GET("/api/v1/runs/{id}/citation/", { params: { path: { id } } })),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
}

export function useRunAct(id: string, act: "cancel" | "retry") {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      act === "cancel"
        ? ok(api.POST("/api/v1/runs/{id}/cancel/", { params: { path: { id } } }))
        : ok(api.POST("/api/v1/runs/{id}/retry/", { params: { path: { id } } })),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["run"] }),
        client.invalidateQueries({ queryKey: ["runs"] }),
      ]),
  });
}

/** Computes the same again even if a result is stored; returns the new run. */
export function useRerun(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => ok(api.POST("/api/v1/runs/{id}/rerun/", { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["runs"] }),
  });
}

export function useFigure(id: string, name: string, size: "screen" | "one") {
  return useQuery({
    queryKey: ["run", id, "figure", name, size],
    queryFn: () =>
      ok(
        api.GET("/api/v1/runs/{id}/figures/{name}/", {
          params: { path: { id, name }, query: { size } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
