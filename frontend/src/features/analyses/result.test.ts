import { describe, expect, test } from "vitest";
import { exclusionsOf, groupsOf, mainColumns, numberInWords, pairsOf, tableOf } from "./result";

const column = (key: string, group = "", detail = false) => ({ key, title: key, group, detail });
const columns = [
  column("metric"),
  column("r", "Pearson"),
  column("p", "Pearson"),
  column("error", "Pearson", true),
  column("holm", "Pearson"),
  column("rho", "Spearman"),
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
    expect(tableOf(null)).toBeNull();
    expect(tableOf({ table: { columns: [] } })).toBeNull();
    expect(exclusionsOf({})).toEqual([]);
    expect(pairsOf({ counts: { responses: 728, odd: {} } }, "counts")).toEqual([
      ["responses", "728"],
    ]);
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
