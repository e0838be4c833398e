import { describe, expect, test } from "vitest";
import {
  cellInWords,
  familiesOf,
  figureInWords,
  groupsOf,
  numberInWords,
  type PrintedColumn,
  plannedInWords,
  printedCell,
  standingOf,
  subjectOf,
  variantInWords,
} from "./result";

const columns = ["", "Pearson", "Pearson", "Pearson", "Pearson", "Spearman", "", ""].map(
  (group) => ({
    group,
  }),
);

describe("a result's table", () => {
  test("an interval is one cell, or a dash where there is none", () => {
    const interval: PrintedColumn = {
      key: "low",
      high: "high",
      spread: null,
      title: "95% interval",
      group: "",
      kind: "",
      is_numeric: true,
      is_whole: false,
      is_main: true,
    };
    expect(printedCell({ low: -0.41, high: 0.77 }, interval)).toBe("[−0.410, 0.770]");
    expect(printedCell({ low: 0.254, high: 0.4 }, { ...interval, kind: "share" })).toBe(
      "[25.4%, 40.0%]",
    );
    expect(printedCell({ low: null, high: 0.77 }, interval)).toBe("–");
    expect(printedCell({ low: 0.5, high: 0.77 }, { ...interval, high: null })).toBe("0.500");
    expect(printedCell({ low: -1, high: 1 }, interval)).toBe("[−1.000, 1.000]");
    expect(printedCell({ low: 1 }, { ...interval, high: null })).toBe("1.000");
    expect(printedCell({ low: 1200 }, { ...interval, high: null, is_whole: true })).toBe("1,200");
  });
  test("a mean and its deviation are one cell, and the mean alone where it is of one run", () => {
    const mean: PrintedColumn = {
      key: "po_jsd",
      high: null,
      spread: "po_jsd_sd",
      title: "mean ± SD",
      group: "PO-JSD",
      kind: "",
      is_numeric: true,
      is_whole: false,
      is_main: true,
    };
    expect(printedCell({ po_jsd: -0.5, po_jsd_sd: 0.0125 }, mean)).toBe("−0.500 ± 0.013");
    expect(printedCell({ po_jsd: 0.94, po_jsd_sd: 0.00004 }, mean)).toBe("0.940 ± 0.000");
    expect(printedCell({ po_jsd: 0.94, po_jsd_sd: 0 }, mean)).toBe("0.940 ± 0.000");
    expect(printedCell({ po_jsd: 0.5, po_jsd_sd: 0.01 }, { ...mean, kind: "share" })).toBe(
      "50.0% ± 1.0%",
    );
    expect(printedCell({ po_jsd: 0.25, po_jsd_sd: null }, mean)).toBe("0.250");
    expect(printedCell({ po_jsd: null, po_jsd_sd: null }, mean)).toBe("–");
  });
  test("figures of one kind are one, with variants", () => {
    expect(
      familiesOf(["scatter", "scatter-po_jsd", "of_a_package"], { scatter: "Each metric" }),
    ).toEqual([
      { family: "scatter", title: "Each metric", names: ["scatter", "scatter-po_jsd"] },
      { family: "of_a_package", title: "Of a package", names: ["of_a_package"] },
    ]);
    const titles = { scatter: "Each metric", "scatter-po_jsd": "PO-JSD" };
    const told = (name: string) => [variantInWords(name, titles), figureInWords(name, titles)];
    expect(told("scatter")).toEqual(["All at once", "Each metric"]);
    expect(told("scatter-po_jsd")).toEqual(["PO-JSD", "Each metric: PO-JSD"]);
    expect(told("bars-of_all")).toEqual(["Of all", "Bars: Of all"]);
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
    expect(cellInWords(0.254, "share")).toBe("25.4%");
  });
  test("a result of a study says whether it was planned", () => {
    const stamped_at = null;
    const planned = { status: "planned", sha256: "ab", stamped_at } as const;
    expect(standingOf(planned)).toContain("Planned");
    const exploratory = { ...planned, status: "exploratory" } as const;
    expect(standingOf(exploratory)).toContain("not in the");
    expect(standingOf({ ...exploratory, sha256: null })).toContain("no plan");
    expect(standingOf(null)).toBe("");
    expect([true, false, null].map(plannedInWords)).toEqual([
      "Planned before opening",
      "Exploratory",
      "",
    ]);
  });
  test("what was left out names its system and metric", () => {
    const of = { what: "system", count: 1, reason: "constant" };
    expect(subjectOf({ ...of, system: "A", metric: "po_jsd" })).toBe("A, po_jsd");
    expect(subjectOf({ ...of, what: "responses" })).toBe("responses");
  });
});
