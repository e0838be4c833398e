import { describe, expect, test } from "vitest";
import type { Label } from "~/api/types";
import { labelsHint, preferenceHint } from "./hints";
import { exampleBar, practiceBars, practiceText } from "./items";
import { textsFor } from "./texts";

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

function named(names: readonly string[]): Label[] {
  return names.map((name, position) => ({ position, name, search_words: [], exclusive: false }));
}

describe("the bars of the practice", () => {
  const cases = [2, 3, 5, 33].flatMap((count) =>
    (["multilabel", "multiclass", "ordinal"] as const).flatMap((task) =>
      [0, 1].map((item) => ({ count, task, item })),
    ),
  );
  test.each(cases)("$count labels, $task, item $item: drawn from the study's own labels", (one) => {
    const labels = labelSet(one.count, one.task === "multilabel");
    const study = { task: one.task, labels };
    const sides = ([0, 1] as const).map((side) => practiceBars(study, one.item, side));
    for (const bars of sides) {
      expect(bars.length).toBeGreaterThan(1);
      expect(new Set(bars.map((bar) => bar.label)).size).toBe(bars.length);
      expect(bars.map((bar) => bar.label)).not.toContain("None");
      const values = bars.map((bar) => bar.value);
      expect(values).toEqual([...values].sort((a, b) => b - a));
      expect(Math.min(...values)).toBeGreaterThan(0.1);
      const total = values.reduce((sum, value) => sum + value, 0);
      if (one.task !== "multilabel") expect(total).toBeCloseTo(1);
    }
    // The difference is visible: some label is at least 15 points apart.
    const [a = [], b = []] = sides;
    const of = (bars: typeof a, label: string) =>
      bars.find((bar) => bar.label === label)?.value ?? 0;
    const apart = labels.map(({ name }) => Math.abs(of(a, name) - of(b, name)));
    expect(Math.max(...apart)).toBeGreaterThanOrEqual(0.15);
  });

  test.each(["multilabel", "multiclass", "ordinal"] as const)(
    "over the practice neither side is sharper, so that none can be taken for people's: %s",
    (task) => {
      const study = { task, labels: labelSet(9) };
      const top = (item: number, side: 0 | 1) => practiceBars(study, item, side)[0]?.value ?? 0;
      expect([0, 1].map((item) => top(item, 0) > top(item, 1))).toEqual([true, false]);
    },
  );

  test("on a scale people stand close together: no gap lies between two bars", () => {
    const study = { task: "ordinal" as const, labels: labelSet(7) };
    for (const [item, side] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ] as const) {
      const drawn = practiceBars(study, item, side).map((bar) => Number(bar.label.slice(6)));
      expect(Math.max(...drawn) - Math.min(...drawn)).toBe(drawn.length - 1);
    }
  });

  test("a label set of one label breaks nothing", () => {
    const study = { task: "multiclass" as const, labels: labelSet(1) };
    expect(practiceBars(study, 0, 0)).toEqual([{ label: "Label 0", value: 1 }]);
  });

  test.each([
    [["Tax", "Privacy", "Housing", "Neighbourhood disputes", "Property law"], "landlord"],
    [["Steuerrecht", "Datenschutz", "Mietrecht", "Nachbarrecht", "Sachenrecht"], "landlord"],
    [["Arbeitsrecht", "Baurecht", "Datenschutz", "Mietrecht", "Strafrecht"], "landlord"],
    [["joy", "sadness", "anger"], "bakery"],
  ])("the texts suit the labels: %s", (names, about) => {
    const labels = named(names);
    const [text] = textsFor("multilabel", labels);
    expect(text.parts.map((part) => part.message).join()).toContain(about);
  });

  test("known labels get the bars of what the text is about", () => {
    const areas = [
      "Building",
      "Consumer law",
      "Housing",
      "Neighbourhood disputes",
      "Privacy",
      "Property law",
      "Tax",
    ];
    const study = { task: "multilabel" as const, labels: named(areas) };
    expect(practiceBars(study, 0, 0).map((bar) => bar.label)).toEqual([
      "Housing",
      "Consumer law",
      "Privacy",
    ]);
    expect(practiceBars(study, 1, 0).map((bar) => bar.label)).toEqual([
      "Neighbourhood disputes",
      "Property law",
      "Building",
    ]);
    const pairs = {
      task: "multiclass" as const,
      labels: named(["entailment", "neutral", "contradiction"]),
    };
    expect(practiceText(pairs, 0)).toHaveLength(2);
    expect(practiceBars(pairs, 0, 0)[0]).toEqual({ label: "neutral", value: 0.6 });
  });
});

describe("the practice says what a bar means", () => {
  const nothing = { answer: null, certainty: null };

  test.each([
    ["multilabel", 9],
    ["multiclass", 5],
    ["multiclass", 2],
    ["ordinal", 2],
    ["ordinal", 5],
    ["multiclass", 1],
  ] as const)("in whole tenths: %s with %i labels", (task, count) => {
    const bar = exampleBar({ task, labels: labelSet(count) }, 0);
    expect(((bar?.value ?? 0) * 10) % 1).toBe(0);
  });

  test("with its number, of people or in the study's own words", () => {
    const bar = { label: "Tax", value: 0.6 };
    const plain = preferenceHint(nothing, bar).replace(/[\u2068\u2069]/g, "");
    expect(plain).toContain("“Tax” has 60%: 6 of 10 people would choose it.");
    const own = preferenceHint(nothing, bar, "share of lawyers who would choose this area");
    expect(own.replace(/[\u2068\u2069]/g, "")).toContain(
      "What a bar shows: share of lawyers who would choose this area. On side A, “Tax” has 60%: that is 6 of 10.",
    );
    expect(preferenceHint(nothing)).toContain("There is no right answer");
    expect(exampleBar({ task: "multilabel", labels: labelSet(9) }, 1)).toBeUndefined();
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
    expect(labelsHint("multilabel", labels, [0, 2], [0])).toContain("You chose 2 labels");
    expect(labelsHint("multilabel", labels, [0], [0, 2])).toContain("how you clear a label");
    expect(labelsHint("multilabel", labels, [4], [0, 2])).toContain("cannot be combined");
    expect(labelsHint("multiclass", labels, [1], [])).toContain("replaces it");
  });
  test("all four preferences are treated alike", () => {
    const hints = (["a", "b", "both", "neither"] as const).map((answer) =>
      preferenceHint({ answer, certainty: null }),
    );
    expect(new Set(hints).size).toBe(1);
    expect(hints[0]).toContain("not set yet");
    expect(preferenceHint({ answer: "a", certainty: 0 })).toContain("Both questions are answered");
  });
});
