import {
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  type Updater,
} from "@tanstack/react-query";
import { ApiError } from "./errors";

const WHO_IS_THERE = new Set(["not_authenticated", "other_user"]);

/** The session ended or changed while the page was open: check who is signed in, and the page asks for a login. */
function noticeSignOut(error: unknown) {
  if (error instanceof ApiError && (error.status === 401 || WHO_IS_THERE.has(error.code))) {
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

/** Puts what a change was answered with in place of what is known. A request for it that left before is given up. */
export async function putInPlace<Data>(
  client: QueryClient,
  queryKey: QueryKey,
  data: Updater<Data | undefined, Data | undefined>,
): Promise<void> {
  await client.cancelQueries({ queryKey, exact: true });
  client.setQueryData<Data>(queryKey, data);
}
