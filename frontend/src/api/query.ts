import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./errors";

/** The session ended while the page was open: ask who is there, and the pages lead to the login. */
function noticeSignOut(error: unknown) {
  if (error instanceof ApiError && (error.status === 401 || error.code === "not_authenticated")) {
    void queryClient.invalidateQueries({ queryKey: ["session"] });
  }
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  mutationCache: new MutationCache({ onError: noticeSignOut }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => error instanceof ApiError && error.isTransient && failures < 2,
    },
    mutations: { networkMode: "always" },
  },
});
