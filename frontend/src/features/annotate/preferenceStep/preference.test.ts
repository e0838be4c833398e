import { describe, expect, test } from "vitest";
import { missing, nearestWord, pressed, slid, toBody, unanswered } from "./preference";

describe("step 2 by keyboard", () => {
  test("nothing is preset, and both parts are asked for", () => {
    expect(missing(unanswered)).toEqual(["which side is more accurate", "how certain you are"]);
  });
  test.each([
    ["a", "a"],
    ["B", "b"],
    ["o", "both"],
    ["n", "neither"],
  ])("%s answers %s", (key, answer) => {
    expect(pressed(unanswered, key).answer).toBe(answer);
  });
  test.each([
    ["a", null],
    ["B", null],
    ["o", "both"],
    ["n", "neither"],
  ])("where both sides are the same, %s answers %s", (key, answer) => {
    expect(pressed(unanswered, key, true).answer).toBe(answer);
    expect(missing(unanswered, true)).toEqual(["whether both are accurate", "how certain you are"]);
  });
  test("digits set the five words of certainty and other keys change nothing", () => {
    expect(["1", "2", "3", "4", "5"].map((key) => pressed(unanswered, key).certainty)).toEqual([
      0, 25, 50, 75, 100,
    ]);
    expect(pressed(unanswered, "6")).toBe(unanswered);
    expect(pressed(unanswered, "Enter")).toBe(unanswered);
  });
  test("the slider's first arrow takes the middle, the next ones move from there", () => {
    expect(slid(null, "ArrowRight", "ltr")).toBe(50);
    expect(slid(50, "ArrowRight", "ltr")).toBe(55);
    expect(slid(50, "ArrowRight", "rtl")).toBe(45);
    expect(slid(100, "ArrowUp", "ltr")).toBe(100);
    expect(slid(null, " ", "ltr")).toBe(50);
    expect(slid(null, "Tab", "ltr")).toBeNull();
  });
  test("zero certainty is an answer, not a gap", () => {
    expect(missing({ answer: "neither", certainty: 0 })).toEqual([]);
    expect(nearestWord(0)).toBe(0);
  });
  test("the four answers become two statements", () => {
    expect(toBody("both", 87)).toEqual({ a_chosen: true, b_chosen: true, certainty: 0.87 });
    expect(toBody("neither", 0)).toEqual({ a_chosen: false, b_chosen: false, certainty: 0 });
  });
});
