import { describe, expect, test } from "vitest";
import type { Label } from "~/api/types";
import { toggle } from "./selection";

const labels: Label[] = ["Criminal law", "Family law", "Élder Law", "Tax"].map(
  (name, position) => ({
    name,
    position,
    search_words: [],
    exclusive: false,
  }),
);
labels.push({ name: "Not a legal issue", position: 4, search_words: [], exclusive: true });

describe("choosing labels", () => {
  test("the exclusive label clears the others", () => {
    expect(toggle([0, 2], 4, labels, "multilabel")).toEqual([4]);
  });
  test("any other label clears the exclusive one", () => {
    expect(toggle([4], 1, labels, "multilabel")).toEqual([1]);
  });
  test("choosing a chosen label takes it back", () => {
    expect(toggle([0, 1], 0, labels, "multilabel")).toEqual([1]);
  });
  test("a single-label task keeps exactly the newest choice", () => {
    expect(toggle([0], 3, labels, "multiclass")).toEqual([3]);
    expect(toggle([3], 3, labels, "ordinal")).toEqual([3]);
  });
});
