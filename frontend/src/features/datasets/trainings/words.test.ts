import { describe, expect, it } from "vitest";
import type { Training } from "~/api/types";
import {
  durationInWords,
  forecastInWords,
  forecastRemarks,
  isChanging,
  memoryInWords,
  methodsInWords,
  needsTooMuch,
  splitInWords,
  underWayInWords,
  valueInWords,
  workInWords,
} from "./words";

const forecast = {
  fits: 42,
  seconds: 7_300,
  peak_bytes: 400_000_000,
  free_bytes: 8_000_000_000,
  parameters: 300_000,
  trained: 300_000,
  texts: 1_500,
  cut: 0,
  device: "cpu",
};
const nobody = { under_way: [] } as unknown as Training["standing"];
const training = {
  state: "training",
  parameters: { runs: 3, max_tokens: 512 },
  split: { folds: 10 },
  forecast,
  standing: nobody,
} as unknown as Training;

describe("what a training will take", () => {
  it.each([
    [0.2, "1 second"],
    [89, "89 seconds"],
    [91, "2 minutes"],
    [7_300, "2 hours"],
    [200_000, "2 days"],
  ])("%s seconds are told in the unit that fits", (seconds, words) => {
    expect(durationInWords(seconds)).toBe(words);
  });
  it("is told in one sentence", () => {
    expect(forecastInWords(forecast)).toBe(
      "Training 42 models takes about 2 hours if one follows the other, and up to 0.4 GB of memory for each (8.0 GB are free).",
    );
    expect(forecastInWords({ ...forecast, fits: 1 })).toBe(
      "Training one model takes about 2 hours and up to 0.4 GB of memory (8.0 GB are free).",
    );
  });
  it("never needs no memory at all", () => {
    expect(memoryInWords(3)).toBe("0.1 GB");
  });
  it("is remarked on only where there is something to say", () => {
    expect(forecastRemarks(training)).toEqual([]);
    const large = { ...training, forecast: { ...forecast, trained: 1_000, cut: 3 } };
    expect(forecastRemarks(large)).toEqual([
      "1,000 of the model’s 300,000 weights are trained.",
      "3 of 1,500 texts are longer than 512 tokens and will be cut.",
    ]);
  });
  it("is too much if a model needs more memory than is free", () => {
    expect(needsTooMuch(forecast)).toBe(false);
    expect(needsTooMuch({ ...forecast, peak_bytes: forecast.free_bytes + 1 })).toBe(true);
  });
});

describe("the number of models", () => {
  it.each([
    [[14, 3, 10, 0], "420 models to train: 14 methods × 3 runs × 10 folds"],
    [[2, 1, 1, 0], "2 models to train: 2 methods × 1 run"],
    [[2, 3, 1, 20], "46 models to train: 2 methods × (3 runs + 20 trials)"],
    [[0, 3, 1, 0], "0 models to train: 0 methods × 3 runs"],
  ] as const)("%s is explained", ([methods, runs, folds, search], words) => {
    expect(workInWords(methods, runs, folds, search)).toBe(words);
  });
});

describe("a training that is under way", () => {
  it("says which run and fold a worker is at, unless there is only one fold", () => {
    const one = { kind: "fit", method: "SL", run: 2, fold: 4 } as const;
    expect(underWayInWords(one, training)).toBe("SL, run 2 of 3, fold 4 of 10");
    const unfolded = { ...training, split: { ...training.split, folds: 1 } };
    expect(underWayInWords({ ...one, fold: 1 }, unfolded)).toBe("SL, run 2 of 3");
    expect(underWayInWords({ ...one, kind: "search", run: 0 }, training)).toBe(
      "SL, search for settings, fold 4 of 10",
    );
  });
  it.each([
    ["checking", false, true],
    ["ready", false, false],
    ["training", false, true],
    ["stopped", true, true],
    ["stopped", false, false],
    ["failed", true, true],
    ["finished", false, false],
  ] as const)("is looked at again while it changes by itself: %s, %s", (state, working, again) => {
    const under_way = working ? [{ kind: "fit", method: "SL", run: 1, fold: 1 } as const] : [];
    expect(isChanging({ ...training, state, standing: { ...nobody, under_way } })).toBe(again);
  });
});

describe("how it is trained", () => {
  it("names few methods and counts many", () => {
    expect(methodsInWords(["MV", "SL"])).toContain("SL");
    expect(methodsInWords(["MV", "SL", "AE", "AR", "JSD"])).toBe("5 methods");
  });
  it("says the split as a researcher would", () => {
    expect(["given", "shares", "folds", "theirs"].map((kind) => splitInWords(kind, 5))).toEqual([
      "as the files say",
      "8:1:1 for training, development and test",
      "5 folds",
      "theirs",
    ]);
  });
  it("shows values, small ones with all that matters", () => {
    expect([null, "", true, 0.00003, ["a", "b"], "auto"].map(valueInWords)).toEqual([
      "not set",
      "not set",
      "Yes",
      "0.00003",
      "a, b",
      "auto",
    ]);
  });
});
