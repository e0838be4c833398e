import { i18n } from "@lingui/core";
import createClient, { type Middleware } from "openapi-fetch";
import type { paths } from "~/api/schema";
import { fetchProven } from "./again";
import { connection } from "./connection";
import { ApiError, errorFrom, offlineError } from "./errors";

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

/** Asks for the server's sentences in the page's language. */
const inThisLanguage: Middleware = {
  onRequest({ request }) {
    if (i18n.locale) request.headers.set("Accept-Language", i18n.locale);
    return request;
  },
};

let person: number | null = null;

/** Says whom this page belongs to. The server refuses if somebody else has since signed in in another tab. */
export function askFor(id: number) {
  person = id;
}

const forThisPerson: Middleware = {
  onRequest({ request, schemaPath }) {
    if (person !== null && schemaPath !== "/api/v1/session/" && !request.headers.has("X-HLV-User"))
      request.headers.set("X-HLV-User", String(person));
    return request;
  },
};

const AWAY = new Set([502, 503, 504]);

const noteConnection: Middleware = {
  onResponse({ response }) {
    connection.note(!AWAY.has(response.status));
  },
  onError({ error }) {
    if (!(error instanceof Error && error.name === "AbortError")) connection.note(false);
  },
};

export const api = createClient<paths>({
  credentials: "same-origin",
  cache: "no-store",
  fetch: fetchProven,
});
api.use(withCsrf, inThisLanguage, forThisPerson, noteConnection);

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The body of a successful response; anything else is thrown as an ApiError with a plain sentence. */
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

type Page<T> = { next: string | null; results: T[] };
/** The most rows that the server returns at once. */
const MOST = 500;

/** The rows of a list's first page. */
export async function newest<T>(pending: Promise<Answer<Page<T>>>): Promise<T[]> {
  return (await ok(pending)).results;
}

/** All rows of a short list that is paged: usually one request. */
export async function every<T>(
  ask: (query: { limit: number; page: number }) => Promise<Answer<Page<T>>>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let page = 1; ; page++) {
    const { results, next } = await ok(ask({ limit: MOST, page }));
    rows.push(...results);
    if (next === null) return rows;
  }
}
