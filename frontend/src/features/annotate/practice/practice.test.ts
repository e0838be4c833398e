import { describe, expect, test } from "vitest";
import type { Label } from "~/api/types";
import { labelsHint, preferenceHint } from "./hints";
import { practiceBars, TEXTS } from "./items";

function labelSet(count: number, exclusive = false): Label[] {
  const labels = Array.from({ length: count }, (_, position) => ({
    position,
    name: `Label ${position}`,
    search_words: [],
    exclusive: false,
  }));
  return exclusive
    ? [...labels, { position: count, name: "None", search_words: [], exclusive: true }]
    : labels;
}

describe("the bars of the practice", () => {
  const cases = [2, 3, 5, 33].flatMap((count) =>
    (["multilabel", "multiclass", "ordinal"] as const).flatMap((task) =>
      TEXTS.map((_, item) => ({ count, task, item })),
    ),
  );
  test.each(cases)("$count labels, $task, item $item: drawn from the study's own labels", (one) => {
    const labels = labelSet(one.count, one.task === "multilabel");
    const sides = ([0, 1] as const).map((side) => practiceBars(labels, one.task, one.item, side));
    for (const bars of sides) {
      expect(bars.length).toBeGreaterThan(1);
      expect(new Set(bars.map((bar) => bar.label)).size).toBe(bars.length);
      expect(bars.map((bar) => bar.label)).not.toContain("None");
      const values = bars.map((bar) => bar.value);
      expect(values).toEqual([...values].sort((a, b) => b - a));
      const total = values.reduce((sum, value) => sum + value, 0);
      if (one.task !== "multilabel") expect(total).toBeCloseTo(1);
    }
    expect(sides[0]?.length).toBe(sides[1]?.length);
    expect(sides[0]).not.toEqual(sides[1]);
  });

  test("over the practice neither side is sharper, so that none can be taken for people's", () => {
    const tops = ([0, 1] as const).map((side) =>
      TEXTS.map((_, item) => practiceBars(labelSet(9), "multilabel", item, side)[0]?.value ?? 0),
    );
    const sharper = TEXTS.map((_, item) => (tops[0]?.[item] ?? 0) > (tops[1]?.[item] ?? 0));
    expect(sharper).toEqual([true, false]);
  });

  test("a label set of one label breaks nothing", () => {
    expect(practiceBars(labelSet(1), "multiclass", 0, 0)).toEqual([{ label: "Label 0", value: 1 }]);
  });
});

describe("the hints speak of how, never of what", () => {
  const labels = labelSet(4, true);
  test("the same number of answers gives the same hint, whichever they are", () => {
    expect(labelsHint("multilabel", labels, [0, 1], [0])).toBe(
      labelsHint("multilabel", labels, [2, 3], [3]),
    );
    expect(labelsHint("ordinal", labels, [0], [])).toBe(labelsHint("ordinal", labels, [3], []));
  });
  test("they follow what was done", () => {
    expect(labelsHint("multilabel", labels, [], [])).toContain("Space chooses");
    expect(labelsHint("multilabel", labels, [0, 2], [0])).toContain("You chose 2 answers");
    expect(labelsHint("multilabel", labels, [0], [0, 2])).toContain("how you take an answer back");
    expect(labelsHint("multilabel", labels, [4], [0, 2])).toContain("stands alone");
    expect(labelsHint("multiclass", labels, [1], [])).toContain("takes its place");
  });
  test("all four preferences are treated alike", () => {
    const hints = (["a", "b", "both", "neither"] as const).map((answer) =>
      preferenceHint({ answer, certainty: null }),
    );
    expect(new Set(hints).size).toBe(1);
    expect(hints[0]).toContain("no position until you choose one");
    expect(preferenceHint({ answer: "a", certainty: 0 })).toContain("Both are given");
  });
});
