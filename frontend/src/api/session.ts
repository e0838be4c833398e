import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, askFor, ok } from "./client";
import { useIsReachable } from "./connection";
import { putInPlace } from "./query";
import type { Session, User } from "./types";

/** This also sets the cookie that protects later requests. */
const session = {
  queryKey: ["session"],
  queryFn: () => ok(api.GET("/api/v1/session/", { signal: AbortSignal.timeout(10_000) })),
  // The browser may be wrong about being offline.
  networkMode: "always",
} as const;

/** How often to check whether the server can be reached again. */
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

/** Asks the server who is currently signed in. */
export function fetchSession(client: QueryClient): Promise<Session> {
  return client.fetchQuery({ ...session, staleTime: 0 });
}

/** Whom this page belongs to: the person first signed in. Another login in another tab does not change that. */
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
    onSuccess: async (session: Session) => {
      // A code is asked for on the sign-in page, wherever the password was typed.
      if (session.second_step === "code" && location.pathname !== "/login") {
        const here = encodeURIComponent(location.pathname + location.search);
        location.assign(`/login?next=${here}`);
      }
      await putInPlace(client, ["session"], session);
      // Requests that failed for lack of a login are repeated.
      void client.invalidateQueries({ predicate: ({ state }) => state.status === "error" });
    },
  });
}

export function useSignOut() {
  return useMutation({
    mutationFn: () => ok(api.DELETE("/api/v1/session/")),
    // A new page, because nothing of the person who left may stay in a shared computer's memory.
    onSuccess: () => location.assign("/login"),
  });
}
