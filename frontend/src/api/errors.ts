import type { MessageDescriptor } from "@lingui/core";
import { i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

/** An error response from the server, or from the lack of one. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly data: Record<string, unknown>;
  /** What is wrong with which field, in plain sentences. */
  readonly fields: Record<string, unknown>;

  constructor(
    status: number,
    code: string,
    detail: string,
    data: Record<string, unknown> = {},
    fields: Record<string, unknown> = {},
  ) {
    super(detail);
    this.fields = fields;
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.data = data;
  }

  /** No response arrived, so the same request is worth trying again. */
  get isTransient(): boolean {
    return this.status === 0 || this.status >= 502;
  }
}

const PLAIN: Record<number, MessageDescriptor> = {
  401: msg`Please sign in again.`,
  403: msg`You are not allowed to do this.`,
  404: msg`There is nothing here, or you may not see it.`,
  413: msg`That is too large for the server.`,
  429: msg`Too many attempts. Please wait a little.`,
};
const UNKNOWN = msg`The server could not do this. Please try again in a moment.`;

/** Reads the server's error body, whatever its shape, and always ends with a plain sentence. */
export function errorFrom(status: number, body: unknown): ApiError {
  const record = isRecord(body) ? body : {};
  const code = typeof record.code === "string" ? record.code : `http_${status}`;
  const detail =
    typeof record.detail === "string" && record.detail !== ""
      ? record.detail
      : i18n._(PLAIN[status] ?? UNKNOWN);
  const data = isRecord(record.data) ? record.data : {};
  return new ApiError(status, code, detail, data, isRecord(record.fields) ? record.fields : {});
}

export function offlineError(): ApiError {
  return new ApiError(
    0,
    "offline",
    t`The server cannot be reached. Please check your connection; nothing you entered here is lost.`,
  );
}

/** The field errors of a refused form: field name -> sentences. Errors inside a field are shown beside it. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError) || !isRecord(error.fields)) return {};
  const told = error.code === "invalid" ? error.data : {};
  const found = Object.keys(error.fields).length > 0 ? error.fields : told;
  const sentences: Record<string, string[]> = {};
  for (const [field, value] of Object.entries(found)) {
    for (const name of new Set([field, field.split(".")[0] ?? field])) {
      sentences[name] = [...(sentences[name] ?? []), ...flatten(value)];
    }
  }
  return Object.fromEntries(Object.entries(sentences).map(([name, all]) => [name, all.join(" ")]));
}

function flatten(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(flatten);
  if (isRecord(value))
    return Object.entries(value).map(([key, inner]) => `${key}: ${flatten(inner).join(" ")}`);
  return [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
