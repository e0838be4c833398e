import { api, ok } from "~/api/client";
import type { paths } from "~/api/schema";
import type { Entry } from "./entry";

/** Longer than any normal response takes; after this the request counts as lost and is sent again. */
export const PATIENCE_MS = 20_000;

type Body<P extends keyof paths> = paths[P] extends {
  post: { requestBody: { content: { "application/json": infer B } } };
}
  ? B
  : never;

/** How each kind of answer is sent to the server, which accepts it any number of times and stores it once. */
type Way = (
  entry: Entry,
  request: { signal: AbortSignal; headers: HeadersInit },
) => Promise<unknown>;

/** An address with the assignment's token in it. */
const toAssignment =
  <
    P extends
      `/api/v1/assignments/{token}/${"labels" | "preference" | "correction" | "report" | "guess"}/`,
  >(
    address: P,
  ): Way =>
  (entry, request) =>
    ok(
      api.POST(address as "/api/v1/assignments/{token}/report/", {
        params: { path: { token: entry.token } },
        body: { ...entry.body, key: entry.id } as Body<"/api/v1/assignments/{token}/report/">,
        ...request,
      }),
    );

/** To add a kind of answer, add a line here. */
const WAYS: Record<string, Way> = {
  labels: toAssignment("/api/v1/assignments/{token}/labels/"),
  preference: toAssignment("/api/v1/assignments/{token}/preference/"),
  correction: toAssignment("/api/v1/assignments/{token}/correction/"),
  report: toAssignment("/api/v1/assignments/{token}/report/"),
  guess: toAssignment("/api/v1/assignments/{token}/guess/"),
};

/** Sends an answer on behalf of the person who gave it. */
export function send(entry: Entry): Promise<unknown> {
  const way = WAYS[entry.kind];
  // Written by a newer version of these pages, so it waits for that.
  if (!way) return Promise.reject(new Error(`no way to send ${entry.kind}`));
  return way(entry, {
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: { "X-HLV-User": String(entry.owner) },
  });
}
