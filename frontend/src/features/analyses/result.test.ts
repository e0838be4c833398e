import { describe, expect, test } from "vitest";
import {
  cellInWords,
  groupsOf,
  intervalInWords,
  mainColumns,
  numberInWords,
  standingOf,
  subjectOf,
  withIntervals,
} from "./result";

const column = (key: string, group = "", detail = false) => ({
  key,
  title: key,
  group,
  detail,
  kind: "" as const,
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
  test("the narrow view shows an interval whole, and every p-value", () => {
    const group = [
      column("r", "Pearson"),
      column("r_overall", "Pearson"),
      column("r_low", "Pearson"),
      column("r_high", "Pearson"),
      { ...column("r_p", "Pearson"), kind: "p" as const },
      column("r_n", "Pearson"),
    ];
    expect(mainColumns(group).map(({ key }) => key)).toEqual([
      "r",
      "r_overall",
      "r_low",
      "r_high",
      "r_p",
    ]);
  });
  test("an interval is one column with both its ends, also where its bounds are details", () => {
    const power = [
      column("power"),
      { ...column("low", "", true), title: "from" },
      { ...column("high", "", true), title: "to" },
      column("r", "Pearson"),
      { ...column("r_p", "Pearson"), kind: "p" as const },
      { ...column("r_low", "Pearson"), title: "95 % low" },
      { ...column("r_high", "Pearson"), title: "95 % high" },
      { ...column("bin_low"), title: "Above" },
      column("n"),
    ];
    const shown = withIntervals(mainColumns(power));
    expect(shown.map(({ key, title, high }) => [key, title, high])).toEqual([
      ["power", "power", undefined],
      ["low", "interval", "high"],
      ["r", "r", undefined],
      ["r_low", "95 % interval", "r_high"],
      ["r_p", "r_p", undefined],
      ["bin_low", "Above", undefined],
      ["n", "n", undefined],
    ]);
    expect(intervalInWords(-0.41, 0.77, "")).toBe("[−0.410, 0.770]");
    expect(intervalInWords(0.254, 0.4, "share")).toBe("[25.4 %, 40.0 %]");
    expect(intervalInWords(null, 0.77, "")).toBe("–");
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
  test("a p-value is never printed as 0, and a share is in per cent", () => {
    expect([cellInWords(0.00001, "p"), cellInWords(0.031, "p"), cellInWords(null, "p")]).toEqual([
      "<0.001",
      "0.031",
      "–",
    ]);
    expect(cellInWords(0.254, "share")).toBe("25.4 %");
  });
  test("a result of a study says whether it was planned", () => {
    const stamped_at = null;
    const planned = { status: "planned", sha256: "ab", stamped_at } as const;
    expect(standingOf(planned)).toContain("Planned");
    const exploratory = { ...planned, status: "exploratory" } as const;
    expect(standingOf(exploratory)).toContain("not in the");
    expect(standingOf({ ...exploratory, sha256: null })).toContain("no plan");
    expect(standingOf(null)).toBe("");
  });
  test("what was left out names its system and metric", () => {
    const of = { what: "system", count: 1, reason: "constant" };
    expect(subjectOf({ ...of, system: "A", metric: "po_jsd" })).toBe("A, po_jsd");
    expect(subjectOf({ ...of, what: "responses" })).toBe("responses");
  });
});
