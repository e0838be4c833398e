import { useQuery } from "@tanstack/react-query";
import { api, every } from "./client";

/** My studies, in any role. */
export function useStudies() {
  return useQuery({
    queryKey: ["studies"],
    queryFn: () => every((query) => api.GET("/api/v1/studies/", { params: { query } })),
    staleTime: 0,
  });
}

/** My archived studies. */
export function useArchivedStudies() {
  return useQuery({
    queryKey: ["studies", "archived"],
    queryFn: () =>
      every((query) =>
        api.GET("/api/v1/studies/", { params: { query: { ...query, archived: true } } }),
      ),
  });
}

/** The studies that I have left or was removed from. */
export function useFormerStudies() {
  return useQuery({
    queryKey: ["studies", "former"],
    queryFn: () => every((query) => api.GET("/api/v1/former-studies/", { params: { query } })),
    staleTime: 0,
  });
}

/** One of my studies as in the list: enough for a heading and the mark for simulated data. */
export function useStudyCard(slug: string | undefined) {
  return useStudies().data?.find((study) => study.slug === slug);
}
