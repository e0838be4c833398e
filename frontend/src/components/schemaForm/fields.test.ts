import { describe, expect, test } from "vitest";
import { fieldsOf, rangeInWords, readValues, startValues } from "./fields";

const schema = {
  $defs: { Both: { enum: ["one", "half", "zero"], type: "string", title: "Both" } },
  type: "object",
  required: ["columns"],
  properties: {
    permutations: {
      title: "Permutations",
      type: "integer",
      default: 100000,
      minimum: 1,
      maximum: 1000000,
    },
    alpha: {
      title: "Level",
      type: "number",
      default: 0.05,
      exclusiveMinimum: 0,
      exclusiveMaximum: 1,
    },
    both: { $ref: "#/$defs/Both", default: "one", description: "How a both counts." },
    metrics: {
      anyOf: [{ type: "array", items: { enum: ["po_jsd", "soft_micro_f1"] } }, { type: "null" }],
      default: null,
    },
    pilot: { type: "boolean", default: false, title: "Count the pilot" },
    temperature: { anyOf: [{ type: "number" }, { type: "null" }], default: null },
    columns: { type: "object" },
  },
};
const fields = fieldsOf(schema);
const by = (name: string) => fields.find((field) => field.name === name);

describe("a form from a JSON Schema", () => {
  test("every parameter becomes a field of a fitting kind", () => {
    expect(fields.map((field) => field.kind)).toEqual([
      "integer",
      "number",
      "choice",
      "choices",
      "switch",
      "number",
      "json",
    ]);
  });
  test("references, titles, help and defaults are found", () => {
    expect(by("both")?.options.map((option) => option.value)).toEqual(["one", "half", "zero"]);
    expect(by("both")?.help).toBe("How a both counts.");
    expect(startValues(fields)).toMatchObject({
      permutations: "100000",
      both: "one",
      pilot: false,
      metrics: [],
    });
  });
  test("what was typed comes back as what the server takes", () => {
    const { parameters, problems } = readValues(fields, {
      ...startValues(fields),
      metrics: ["po_jsd"],
      columns: '{"a": 1}',
    });
    expect(problems).toEqual({});
    expect(parameters).toEqual({
      permutations: 100000,
      alpha: 0.05,
      both: "one",
      metrics: ["po_jsd"],
      pilot: false,
      temperature: null,
      columns: { a: 1 },
    });
  });
  test("nothing chosen in an optional list means all: null, not an empty list", () => {
    expect(
      readValues(fields, { ...startValues(fields), columns: "{}" }).parameters.metrics,
    ).toBeNull();
  });
  test("numbers outside their bounds are refused with the bounds in words", () => {
    const { problems } = readValues(fields, {
      ...startValues(fields),
      permutations: "0",
      alpha: "1",
      temperature: "warm",
      columns: "",
    });
    expect(problems).toEqual({
      permutations: "Please enter a number from 1 to 1,000,000.",
      alpha: "Please enter a number above 0 and below 1.",
      temperature: "Please enter a number.",
      columns: "Please fill this in.",
    });
  });
  test.each([
    ["of at least 2", { minimum: 2 }, { refused: ["1"], taken: ["2", "3"] }],
    ["of at most 8", { maximum: 8 }, { refused: ["9"], taken: ["7", "8"] }],
    ["above 2", { exclusiveMinimum: 2 }, { refused: ["1", "2"], taken: ["3"] }],
    ["below 8", { exclusiveMaximum: 8 }, { refused: ["8", "9"], taken: ["7"] }],
    ["from 2 to 8", { minimum: 2, maximum: 8 }, { refused: ["1", "9"], taken: ["2", "8"] }],
  ])("a number %s is held to it, at the limit and beside it", (range, bounds, typed) => {
    const list = fieldsOf({ properties: { runs: { type: "integer", ...bounds } } });
    for (const runs of typed.taken) {
      expect(readValues(list, { runs })).toEqual({
        parameters: { runs: Number(runs) },
        problems: {},
      });
    }
    for (const runs of typed.refused) {
      const problem = `Please enter a number ${range}.`;
      expect(readValues(list, { runs })).toEqual({ parameters: {}, problems: { runs: problem } });
    }
  });
  test("a list of free texts is typed with commas between them", () => {
    const list = fieldsOf({
      properties: { names: { type: "array", items: { type: "string" }, default: [] } },
    });
    expect(list[0]?.kind).toBe("texts");
    expect(readValues(list, { names: "po_jsd, macro_f1," }).parameters.names).toEqual([
      "po_jsd",
      "macro_f1",
    ]);
    expect(readValues(list, { names: "" }).parameters.names).toEqual([]);
  });
  test("a text with a comma is typed with semicolons between the texts", () => {
    const names = ["Wills, estates and probate", "Tax"];
    const list = fieldsOf({
      properties: { names: { type: "array", items: { type: "string" }, default: names } },
    });
    expect(startValues(list).names).toBe("Wills, estates and probate; Tax");
    expect(readValues(list, startValues(list)).parameters.names).toEqual(names);
    const one = fieldsOf({
      properties: { names: { type: "array", items: { type: "string" }, default: ["a, b"] } },
    });
    expect(readValues(one, startValues(one)).parameters.names).toEqual(["a, b"]);
  });
  test("choices are called by their titles where the server gives some", () => {
    const [list] = fieldsOf({
      properties: {
        metrics: {
          type: "array",
          items: { type: "string", enum: ["po_jsd"], "x-titles": ["PO-JSD"] },
          default: [],
        },
      },
    });
    expect(list?.kind).toBe("choices");
    expect(list?.options).toEqual([{ value: "po_jsd", label: "PO-JSD" }]);
    expect(list && readValues([list], { metrics: ["po_jsd"] }).parameters.metrics).toEqual([
      "po_jsd",
    ]);
  });
  test("a bound on one side is said alone", () => {
    const [one] = fieldsOf({ properties: { runs: { type: "integer", minimum: 2 } } });
    expect(one && rangeInWords(one)).toBe("of at least 2");
  });
  test("a schema without properties is an empty form", () => {
    expect(fieldsOf({})).toEqual([]);
    expect(fieldsOf(null)).toEqual([]);
  });
});
