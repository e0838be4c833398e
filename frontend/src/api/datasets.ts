import { useQuery } from "@tanstack/react-query";
import { api, every } from "./client";

/** The datasets I may see: those of my studies, and those I imported. */
export function useDatasets() {
  return useQuery({
    queryKey: ["datasets"],
    queryFn: () => every((query) => api.GET("/api/v1/datasets/", { params: { query } })),
  });
}
