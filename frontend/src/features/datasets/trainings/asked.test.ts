import { describe, expect, it } from "vitest";
import { ApiError } from "~/api/errors";
import { fieldsOf, startValues } from "~/components/schemaForm/fields";
import { placed, read, refusedFields } from "./asked";

const fields = fieldsOf({
  properties: {
    methods: { type: "array", items: { enum: ["MV", "SL"] }, default: [] },
    encoder: { enum: ["small"], default: "small" },
    model: { type: "string", default: "" },
    runs: { type: "integer", minimum: 1, default: 3 },
    split: { enum: ["auto", "given", "folds", "shares"], default: "auto" },
    folds: { type: "integer", minimum: 2, default: 10 },
    stratify: { type: "boolean", default: false },
    search: { type: "integer", minimum: 0, default: 0 },
    learning_rate: { anyOf: [{ type: "number" }, { type: "null" }], default: null },
    novelty: { type: "integer", default: 1 },
  },
});
const choices = {
  methods: ["SL"],
  split: "folds" as const,
  values: startValues(fields),
  seed: "",
};

describe("the form of a training", () => {
  it("puts every parameter that it does not know among the advanced settings", () => {
    expect(placed(fields).advanced.map(({ name }) => name)).toEqual([
      "search",
      "learning_rate",
      "novelty",
    ]);
  });
  it("asks for folds only where there are some, and stratifies no given split", () => {
    const asked = (["given", "folds", "shares"] as const).map((split) =>
      placed(fields)
        .ofSplit(split)
        .map(({ name }) => name),
    );
    expect(asked).toEqual([[], ["folds", "stratify"], ["stratify"]]);
  });
  it("sends what was chosen, and nothing about folds with another split", () => {
    const { request, problems } = read(fields, { ...choices, split: "given", seed: "7" });
    expect(problems).toEqual({});
    expect(request).toEqual({
      seed: 7,
      parameters: {
        methods: ["SL"],
        split: "given",
        encoder: "small",
        model: "",
        runs: 3,
        search: 0,
        learning_rate: null,
        novelty: 1,
      },
    });
  });
  it("says what is wrong beside its field", () => {
    const values = { ...choices.values, runs: "0", search: "5", learning_rate: "0.1" };
    const { problems } = read(fields, { ...choices, methods: [], values, seed: "x" });
    expect(Object.keys(problems).sort()).toEqual(["learning_rate", "methods", "runs", "seed"]);
  });
});

describe("a refusal", () => {
  it("stands beside the field that the server names", () => {
    const error = new ApiError(409, "cannot_train", "Taken.", {}, { model: ["Taken."] });
    expect(refusedFields(error)).toEqual({ model: "Taken." });
  });
  it("stands beside the field that its code is about", () => {
    expect(refusedFields(new ApiError(400, "cannot_split", "Too few."))).toEqual({
      split: "Too few.",
    });
    expect(refusedFields(new ApiError(500, "error", "Something."))).toEqual({});
    expect(refusedFields(null)).toEqual({});
  });
});
