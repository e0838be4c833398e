import { fetchOrEarly } from "./early";
import { errorFrom } from "./errors";

type Waiting = (isProven: boolean) => void;

let waiting: Waiting[] = [];
const listeners = new Set<() => void>();

function tell() {
  for (const listener of listeners) listener();
}

/**
 * Asking the person to prove once more who they are, when the server wants it before an act (`sign_in_again`).
 * A dialog listens and answers; without one, nobody is asked and the act is refused.
 */
export const again = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) again.answer(false);
    };
  },
  isAsked: (): boolean => waiting.length > 0,
  ask(): Promise<boolean> {
    if (listeners.size === 0) return Promise.resolve(false);
    return new Promise((answer) => {
      waiting = [...waiting, answer];
      tell();
    });
  },
  answer(isProven: boolean): void {
    const acts = waiting;
    waiting = [];
    tell();
    for (const act of acts) act(isProven);
  },
};

/** Like fetch; an act that takes a recent proof of who one is goes on once the person has given it. */
export async function fetchProven(request: Request): Promise<Response> {
  const isAct = request.method !== "GET" && request.method !== "HEAD";
  // The requests that prove it are not asked for a proof.
  if (!isAct || new URL(request.url).pathname.startsWith("/api/v1/session/")) {
    return fetchOrEarly(request);
  }
  const repeated = request.clone();
  const response = await fetchOrEarly(request);
  if (response.status !== 403) return response;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (errorFrom(response.status, body).code !== "sign_in_again") return response;
  return (await again.ask()) ? fetchOrEarly(repeated) : response;
}
