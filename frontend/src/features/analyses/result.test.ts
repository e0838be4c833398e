import { describe, expect, test } from "vitest";
import {
  cellInWords,
  exclusionsOf,
  groupsOf,
  mainColumns,
  numberInWords,
  pairsOf,
  standingOf,
  tablesOf,
} from "./result";

const column = (key: string, group = "", detail = false) => ({
  key,
  title: key,
  group,
  detail,
  kind: "",
});
const columns = [
  column("metric"),
  column("r", "Pearson"),
  column("p", "Pearson"),
  column("error", "Pearson", true),
  column("holm", "Pearson"),
  column("rho", "Spearman"),
  column("withdrawn", "", true),
  column("notes"),
];

describe("a result's table", () => {
  test("the narrow view keeps the first two columns of a group and never the details", () => {
    expect(mainColumns(columns).map(({ key }) => key)).toEqual([
      "metric",
      "r",
      "p",
      "rho",
      "notes",
    ]);
  });
  test("neighbours of one group stand under one heading", () => {
    expect(groupsOf(columns)).toEqual([
      { group: "", span: 1 },
      { group: "Pearson", span: 4 },
      { group: "Spearman", span: 1 },
      { group: "", span: 1 },
      { group: "", span: 1 },
    ]);
  });
  test("numbers read as in papers, and what is undefined is a dash and never 0", () => {
    expect([0.69234, -0.196, 0.00001, 25, null, "po_jsd"].map(numberInWords)).toEqual([
      "0.692",
      "−0.196",
      "0.000010",
      "25",
      "–",
      "po_jsd",
    ]);
  });
  test("a result without a table, or none at all, is no crash", () => {
    expect(tablesOf(null)).toEqual([]);
    expect(tablesOf({ tables: [{ name: "one", columns: [] }, 7] })).toEqual([]);
    expect(exclusionsOf({})).toEqual([]);
    expect(pairsOf({ counts: { responses: 728, odd: {} } }, "counts")).toEqual([
      ["responses", "728"],
    ]);
  });
  test("a p-value is never printed as 0, and a share is in per cent", () => {
    expect([cellInWords(0.00001, "p"), cellInWords(0.031, "p"), cellInWords(null, "p")]).toEqual([
      "<0.001",
      "0.031",
      "–",
    ]);
    expect(cellInWords(0.254, "share")).toBe("25.4 %");
  });
  test("tables keep their order, titles and notes", () => {
    const tables = [
      { name: "b", title: "B", columns: [column("x")], rows: [{ x: 1 }], notes: ["n"] },
      { name: "a", title: "A", columns: [column("x")], rows: [], notes: [] },
    ];
    expect(tablesOf({ tables })).toEqual(tables);
  });
  test("a result of a study says whether it was planned", () => {
    expect(standingOf({ plan: { status: "planned", sha256: "ab" } })).toContain("Planned");
    expect(standingOf({ plan: { status: "exploratory", sha256: "ab" } })).toContain("not in the");
    expect(standingOf({ plan: { status: "exploratory", sha256: null } })).toContain("no plan");
    expect(standingOf({ plan: null })).toBe("");
  });
  test("what was left out names its system and metric", () => {
    expect(
      exclusionsOf({
        exclusions: [
          { what: "system", system: "A", metric: "po_jsd", count: 1, reason: "constant" },
          { what: "responses", count: 3, reason: "no certainty was given" },
        ],
      }),
    ).toEqual([
      { subject: "A, po_jsd", count: 1, reason: "constant" },
      { subject: "responses", count: 3, reason: "no certainty was given" },
    ]);
  });
});
