import { expect, test } from "vitest";
import { grouped, shortened, stored } from "./systems";

const NAMES = ["BERT / base / 0", "BERT / mc dropout / 0", "GPT / prompt / 0", "Majority"];

test("systems stand under their model, and a search finds all its words in any order", () => {
  expect(grouped(NAMES, "")).toEqual([
    { model: "BERT", names: ["BERT / base / 0", "BERT / mc dropout / 0"] },
    { model: "GPT", names: ["GPT / prompt / 0"] },
    { model: "Majority", names: ["Majority"] },
  ]);
  expect(grouped(NAMES, " dropout bert")).toEqual([
    { model: "BERT", names: ["BERT / mc dropout / 0"] },
  ]);
  expect(grouped(NAMES, "nothing")).toEqual([]);
});

test("a long list is cut, not a page that cannot be scrolled", () => {
  const shown = shortened(grouped(NAMES, ""), 3);
  expect(shown.flatMap(({ names }) => names)).toEqual(NAMES.slice(0, 3));
});

test("all chosen is stored as no choice, and a choice keeps the order of the list", () => {
  expect(stored(NAMES, new Set(NAMES))).toEqual([]);
  expect(stored(NAMES, new Set(["Majority", "BERT / base / 0"]))).toEqual([
    "BERT / base / 0",
    "Majority",
  ]);
});
