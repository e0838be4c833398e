import { useQuery } from "@tanstack/react-query";
import { api, ok } from "~/api/client";

const LOOK_EVERY_MS = 30_000;

/** How the study is doing, polled while the page is visible. */
export function useOverview(slug: string) {
  return useQuery({
    queryKey: ["study", slug, "overview"],
    queryFn: () => ok(api.GET("/api/v1/studies/{slug}/overview/", { params: { path: { slug } } })),
    refetchInterval: LOOK_EVERY_MS,
    refetchIntervalInBackground: false,
  });
}
