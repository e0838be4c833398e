import createClient, { type Middleware } from "openapi-fetch";
import { ApiError, errorFrom, offlineError } from "./errors";
import type { paths } from "./schema";

/** Django's double-submit protection: the cookie's value, sent back in a header. */
export function csrfToken(cookies: string = document.cookie): string {
  const found = cookies.split("; ").find((cookie) => cookie.startsWith("csrftoken="));
  return found ? decodeURIComponent(found.slice("csrftoken=".length)) : "";
}

const withCsrf: Middleware = {
  onRequest({ request }) {
    if (request.method !== "GET" && request.method !== "HEAD") {
      request.headers.set("X-CSRFToken", csrfToken());
    }
    return request;
  },
};

export const api = createClient<paths>({ credentials: "same-origin", cache: "no-store" });
api.use(withCsrf);

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The body of a good answer; anything else is thrown as an ApiError with a plain sentence. */
export async function ok<T>(pending: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await pending;
  } catch (error) {
    throw error instanceof ApiError ? error : offlineError();
  }
  if (!answer.response.ok) throw errorFrom(answer.response.status, answer.error);
  return answer.data as T;
}
