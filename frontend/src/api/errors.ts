import type { MessageDescriptor } from "@lingui/core";
import { i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

/** What the server (or the lack of one) answered instead of what was asked for. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly data: Record<string, unknown>;

  constructor(status: number, code: string, detail: string, data: Record<string, unknown> = {}) {
    super(detail);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.data = data;
  }

  /** Nothing reached us: worth trying again with the very same request. */
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
  return new ApiError(status, code, detail, isRecord(record.data) ? record.data : {});
}

export function offlineError(): ApiError {
  return new ApiError(
    0,
    "offline",
    t`The server cannot be reached. Please check your connection; nothing you entered here is lost.`,
  );
}

/** The field errors of a refused form: field name -> sentences. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError) || error.code !== "invalid") return {};
  return Object.fromEntries(
    Object.entries(error.data).map(([field, value]) => [field, flatten(value).join(" ")]),
  );
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
