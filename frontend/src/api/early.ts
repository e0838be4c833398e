/** What public/early.js asked for while this script was on its way, by method and address. */
type Early = Map<string, Promise<Response | null>>;

declare global {
  interface Window {
    early?: Early;
  }
}

/** Answers that are older than this are asked for anew: the page may have been asleep since. */
const FRESH_MS = 10_000;

/** Like fetch, but takes the answer to a question that was asked before; each once, and good ones only. */
export async function fetchOrEarly(request: Request): Promise<Response> {
  const early = typeof window === "undefined" ? undefined : window.early;
  const name = `${request.method} ${new URL(request.url).pathname}`;
  const asked = early?.get(name);
  if (asked) {
    early?.delete(name);
    const answer = performance.now() < FRESH_MS ? await asked : null;
    if (answer?.ok) return answer;
  }
  return fetch(request);
}
