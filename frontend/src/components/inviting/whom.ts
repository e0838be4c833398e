import { useMemo, useRef } from "react";
import { ApiError } from "~/api/errors";
import { newKey } from "~/outbox/key";

/** Whom to invite: what was typed or pasted, or a file chosen instead. */
export type Whom = { typed: string; file: { name: string; text: string } | null };
export const NOBODY: Whom = { typed: "", file: null };

/** In the API's form. Text pasted from a spreadsheet is a table, too. */
export function asked({ typed, file }: Whom): { addresses: string } | { table: string } {
  if (file) return { table: file.text };
  return isTable(typed) ? { table: typed } : { addresses: typed };
}

/** Whether it looks like a table: a first line that names columns, or tabs between cells. */
export function isTable(text: string): boolean {
  const first = text.trimStart().split("\n", 1)[0] ?? "";
  if (first.includes("\t")) return true;
  const titles = first.split(/[,;]/).map((cell) => cell.trim().toLowerCase());
  return !first.includes("@") && /^(e-?mail|mail|address)/.test(titles.find(isTitle) ?? "");
}

const isTitle = (cell: string) => /^(e-?mail|mail|address)( address)?$/.test(cell);

/** A key for what is about to be sent; a different one as soon as the content changes. */
export function useKeyOf(body: unknown): string {
  const said = JSON.stringify(body);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new content needs a new key, though it is not part of it
  return useMemo(() => newKey(), [said]);
}

/** A key for each row's button, the same until its request is answered, so that a double click asks once. */
export function useRowKeys() {
  const keys = useRef(new Map<string, string>());
  return {
    header(row: string | number) {
      const known = keys.current.get(String(row)) ?? newKey();
      keys.current.set(String(row), known);
      return { "Idempotency-Key": known };
    },
    answered: (row: string | number) => keys.current.delete(String(row)),
  };
}

export type BadLine = { line: number; value: string; reason: string };

/** The lines of the list that were refused. */
export function badLines(error: unknown): BadLine[] {
  if (!(error instanceof ApiError) || error.code !== "bad_addresses") return [];
  const { lines } = error.data;
  return Array.isArray(lines) ? (lines as BadLine[]) : [];
}

type Link = { link: string; subject: string; text: string };
type Told = Link & { invitation: { email: string; name: string } };

/** One line per person, which a spreadsheet pastes into two columns. */
export function asLines(issued: readonly Told[]): string {
  return issued.map((one) => `${one.invitation.email}\t${one.link}`).join("\n");
}

/** For a mail merge. */
export function asCsv(issued: readonly Told[]): string {
  const rows = issued.map((one) => [
    one.invitation.email,
    one.invitation.name,
    one.link,
    one.subject,
    one.text,
  ]);
  const quoted = [["email", "name", "link", "subject", "text"], ...rows].map((row) =>
    row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","),
  );
  return `${quoted.join("\r\n")}\r\n`;
}
