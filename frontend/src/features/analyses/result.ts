/** The parts of a result that every analysis states, read from plain JSON without trusting its shape. */
export type TableColumn = {
  key: string;
  title: string;
  group: string;
  detail: boolean;
  kind: string;
};
export type ResultTable = {
  name: string;
  title: string;
  columns: TableColumn[];
  rows: Record<string, unknown>[];
  notes: string[];
};
export type Exclusion = { subject: string; count: number; reason: string };

type Plain = Record<string, unknown>;

export function tablesOf(result: unknown): ResultTable[] {
  const tables = asRecord(result).tables;
  if (!Array.isArray(tables)) return [];
  return tables.map(asRecord).flatMap((table) => {
    if (!Array.isArray(table.columns) || !Array.isArray(table.rows)) return [];
    return {
      name: String(table.name),
      title: String(table.title ?? table.name),
      columns: table.columns.map(asRecord).map((column) => ({
        key: String(column.key),
        title: String(column.title ?? column.key),
        group: String(column.group ?? ""),
        detail: column.detail === true,
        kind: String(column.kind ?? ""),
      })),
      rows: table.rows.map(asRecord),
      notes: textsOf(table.notes),
    };
  });
}

export function notesOf(result: unknown): string[] {
  return textsOf(asRecord(result).notes);
}

/** A narrow view of a wide table: no details, and the first two columns of each group. */
export function mainColumns(columns: readonly TableColumn[]): TableColumn[] {
  const seen = new Map<string, number>();
  return columns.filter(({ group, detail }) => {
    if (detail) return false;
    if (group === "") return true;
    const place = (seen.get(group) ?? 0) + 1;
    seen.set(group, place);
    return place <= 2;
  });
}

/** Neighbouring columns of one group under one heading. */
export function groupsOf(columns: readonly TableColumn[]): { group: string; span: number }[] {
  const groups: { group: string; span: number }[] = [];
  for (const { group } of columns) {
    const last = groups.at(-1);
    if (last && last.group === group && group !== "") last.span += 1;
    else groups.push({ group, span: 1 });
  }
  return groups;
}

/** A number as papers print it: three decimals, small p-values by their size, a real minus sign. */
export function numberInWords(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en-GB");
  const text = value !== 0 && Math.abs(value) < 0.001 ? value.toPrecision(2) : value.toFixed(3);
  return text.replace("-", "−");
}

/** A cell as papers print it: by its column's kind, undefined as a dash. */
export function cellInWords(value: unknown, kind: string): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return numberInWords(value);
  if (kind === "p" && value < 0.0005) return "<0.001";
  if (kind === "p") return value.toFixed(3);
  if (kind === "share") return `${(100 * value).toFixed(1).replace("-", "−")} %`;
  return numberInWords(value);
}

export function exclusionsOf(result: unknown): Exclusion[] {
  const list = asRecord(result).exclusions;
  if (!Array.isArray(list)) return [];
  return list.map(asRecord).map(({ what, system, metric, count, reason }) => ({
    subject:
      [system, metric, system ? null : what].filter(Boolean).join(", ") || String(what ?? ""),
    count: typeof count === "number" ? count : 1,
    reason: String(reason ?? ""),
  }));
}

/** Named numbers and texts, such as counts and versions. */
export function pairsOf(result: unknown, name: string): [string, string][] {
  return Object.entries(asRecord(asRecord(result)[name]))
    .filter(([, value]) => ["number", "string", "boolean"].includes(typeof value))
    .map(([key, value]) => [key, typeof value === "number" ? numberInWords(value) : String(value)]);
}

/** Whether a study's result was planned, in words; empty where there is no study. */
export function standingOf(result: unknown): string {
  const plan = asRecord(asRecord(result).plan);
  if (plan.status === "planned") return "Planned: fixed when the study opened";
  if (plan.status !== "exploratory") return "";
  return plan.sha256 ? "Exploratory: not in the plan" : "Exploratory: no plan was fixed";
}

export function textOf(result: unknown, name: string): string {
  const value = asRecord(result)[name];
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function asRecord(value: unknown): Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Plain)
    : {};
}
