import { useQuery } from "@tanstack/react-query";
import { api, ok } from "./client";

/** The datasets that I may see: those of my studies, and those that I imported. */
export function useDatasets() {
  return useQuery({
    queryKey: ["datasets"],
    queryFn: () => ok(api.GET("/api/v1/datasets/")),
  });
}
