import { queryOptions, useMutation } from "@tanstack/react-query";
import { api, ok } from "~/api/client";

/** What the study asks the expert about themselves. */
export const ownProfile = (slug: string) =>
  queryOptions({
    queryKey: ["own-profile", slug],
    queryFn: () => ok(api.GET("/api/v1/studies/{slug}/profile/", { params: { path: { slug } } })),
  });

export function useAnswerProfile(slug: string) {
  return useMutation({
    mutationFn: (body: { answers: Record<string, string>; consent: string | null }) =>
      ok(api.PUT("/api/v1/studies/{slug}/profile/", { params: { path: { slug } }, body })),
  });
}
