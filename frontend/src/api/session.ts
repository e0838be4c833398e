import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "./client";
import type { Session } from "./types";

/** Who is signed in. Asking also sets the cookie that protects later requests. */
export function useSession() {
  return useQuery({
    queryKey: ["session"],
    queryFn: () => ok(api.GET("/api/session/")),
    staleTime: 60_000,
  });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      ok(api.POST("/api/session/", { body })),
    onSuccess: (session: Session) => client.setQueryData(["session"], session),
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => ok(api.DELETE("/api/session/")),
    onSuccess: async () => {
      // Nothing of the person who left may stay on a shared computer.
      client.clear();
      await client.invalidateQueries();
      location.assign("/login");
    },
  });
}
