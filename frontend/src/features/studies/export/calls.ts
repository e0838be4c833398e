import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, newest, ok } from "~/api/client";
import type { paths } from "~/api/schema";
import { isActive } from "~/components/JobProgress";

type Address = "/api/v1/studies/{slug}/export-files/";
export type ExportWish = NonNullable<
  paths[Address]["post"]["requestBody"]
>["content"]["application/json"];
export type ExportFilters = Required<NonNullable<ExportWish["filters"]>>;
export type ExportFile =
  paths[Address]["get"]["responses"][200]["content"]["application/json"]["results"][number];
export type ExportFormat =
  paths["/api/v1/studies/{slug}/exports/"]["get"]["responses"][200]["content"]["application/json"]["results"][number];

const filesOf = (slug: string) => ["study", slug, "export-files"];

export function useFormats(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "exports"],
    queryFn: () =>
      every((query) =>
        api.GET("/api/v1/studies/{slug}/exports/", { params: { path: { slug }, query } }),
      ),
  });
}

/** The newest files; fetched again while one is being made. */
export function useExportFiles(slug: string) {
  return useQuery({
    queryKey: filesOf(slug),
    queryFn: () =>
      newest(
        api.GET("/api/v1/studies/{slug}/export-files/", {
          params: { path: { slug }, query: { limit: 20 } },
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data?.some((one) => isActive(one.state)) ? 1_000 : false,
  });
}

export function useMakeFile(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: (body: ExportWish) =>
      ok(api.POST("/api/v1/studies/{slug}/export-files/", { params: { path: { slug } }, body })),
    onSuccess: refresh,
  });
}

export function useCancelFile(slug: string) {
  const refresh = useRefresh(slug);
  return useMutation({
    mutationFn: (id: string) =>
      ok(api.POST("/api/v1/export-files/{id}/cancel/", { params: { path: { id } } })),
    onSuccess: refresh,
  });
}

function useRefresh(slug: string) {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: filesOf(slug) });
    await client.invalidateQueries({ queryKey: ["study", slug, "events"] });
  };
}
