import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, askFor, ok } from "./client";
import { useIsReachable } from "./connection";
import type { Session, User } from "./types";

/** Asking also sets the cookie that protects later requests. */
const session = {
  queryKey: ["session"],
  queryFn: () => ok(api.GET("/api/v1/session/", { signal: AbortSignal.timeout(10_000) })),
  // The browser may be wrong about being offline.
  networkMode: "always",
} as const;

/** How often to look whether the server is there again. */
const LOOK_AGAIN_MS = 5_000;

/** Who is signed in. */
export function useSession() {
  const isReachable = useIsReachable();
  return useQuery({
    ...session,
    staleTime: 60_000,
    refetchInterval: isReachable ? false : LOOK_AGAIN_MS,
    refetchOnWindowFocus: true,
  });
}

/** Asks the server who is signed in at this moment. */
export function fetchSession(client: QueryClient): Promise<Session> {
  return client.fetchQuery({ ...session, staleTime: 0 });
}

/** Whom this page belongs to: who was signed in first. Another login in another tab does not change that. */
export function usePerson(): User | null {
  const now = useSession().data?.user ?? null;
  const [person, setPerson] = useState(now);
  if (now && !person) setPerson(now);
  const owner = person ?? now;
  if (owner) askFor(owner.id);
  return owner;
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      ok(api.POST("/api/v1/session/", { body })),
    onSuccess: (session: Session) => {
      client.setQueryData(["session"], session);
      // What failed for want of a login is asked again.
      void client.invalidateQueries({ predicate: ({ state }) => state.status === "error" });
    },
  });
}

export function useSignOut() {
  return useMutation({
    mutationFn: () => ok(api.DELETE("/api/v1/session/")),
    // A new page: nothing of the person who left may stay in the memory of a shared computer.
    onSuccess: () => location.assign("/login"),
  });
}
