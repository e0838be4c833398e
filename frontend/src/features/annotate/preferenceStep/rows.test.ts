import { expect, test } from "vitest";
import { foldings } from "./fitting";
import { listOf, rowsOf } from "./rows";

const names = ["Family law", "Health", "Privacy", "Tax"];
const labels = names.map((name, position) => ({
  name,
  position,
  search_words: [],
  exclusive: false,
}));
const multilabel = { task: "multilabel" as const, labels };
const a = [
  { label: "Privacy", value: 0.6 },
  { label: "Tax", value: 0.2 },
];
const b = [
  { label: "Health", value: 0.8 },
  { label: "Family law", value: 0.2 },
];

test("every label that either side shows has a row, the larger mean first", () => {
  expect(rowsOf({ a, b }, multilabel).map((row) => row.label)).toEqual([
    "Health",
    "Privacy",
    "Family law",
    "Tax",
  ]);
});

test("swapped sides give the same rows, mirrored", () => {
  const swapped = rowsOf({ a: b, b: a }, multilabel);
  expect(swapped).toEqual(
    rowsOf({ a, b }, multilabel).map((row) => ({ label: row.label, a: row.b, b: row.a })),
  );
});

test("shares whose binary sums differ in the last digit stand in the order of step 1", () => {
  const rows = rowsOf(
    { a: [{ label: "Health", value: 0.3 }], b: [{ label: "Family law", value: 0.1 + 0.2 }] },
    multilabel,
  );
  expect(rows.map((row) => row.label)).toEqual(["Family law", "Health"]);
});

test("a scale shows all its points in its own order, on each side", () => {
  const rows = rowsOf({ a, b }, { task: "ordinal", labels });
  expect(rows.map((row) => row.label)).toEqual(names);
  expect(listOf("b", rows, "ordinal").map((row) => row.b)).toEqual([0.2, 0.8, 0, 0]);
});

test("a side's own list has its bars alone, from the largest down", () => {
  const rows = rowsOf({ a, b }, multilabel);
  expect(listOf("a", rows, "multilabel").map((row) => row.label)).toEqual(["Privacy", "Tax"]);
});

test("small bars fold before larger ones, tall ones never, and something always stays", () => {
  expect(foldings([0.8, 0.2, 0.1, 0.2, 0.3])).toEqual([0.1, 0.2]);
  expect(foldings([0.1, 0.1, 0.2])).toEqual([0.1]);
  expect(foldings([0.5, 0.3])).toEqual([]);
});
