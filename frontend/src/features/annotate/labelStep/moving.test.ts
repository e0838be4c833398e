import { describe, expect, test } from "vitest";
import { type Box, moveTo } from "./moving";

describe("moving among chips", () => {
  // Two lines: three chips, then two wider ones.
  const box = (left: number, top: number, width: number): Box => ({ left, top, width, height: 30 });
  const chips = [
    box(0, 0, 90),
    box(100, 0, 90),
    box(200, 0, 90),
    box(0, 40, 140),
    box(150, 40, 140),
  ];
  test("right and left follow the reading order and stop at the ends", () => {
    expect(moveTo(chips, 2, "ArrowRight", "ltr")).toBe(3);
    expect(moveTo(chips, 0, "ArrowLeft", "ltr")).toBe(0);
    expect(moveTo(chips, 4, "ArrowRight", "ltr")).toBe(4);
  });
  test("they mirror where the text runs from right to left", () => {
    expect(moveTo(chips, 2, "ArrowLeft", "rtl")).toBe(3);
  });
  test("down goes to the nearest chip of the next line and stays on the last one", () => {
    expect(moveTo(chips, 2, "ArrowDown", "ltr")).toBe(4);
    expect(moveTo(chips, 0, "ArrowDown", "ltr")).toBe(3);
    expect(moveTo(chips, 4, "ArrowDown", "ltr")).toBe(4);
  });
  test("up leaves the first line for the search field", () => {
    expect(moveTo(chips, 4, "ArrowUp", "ltr")).toBe(2);
    expect(moveTo(chips, 1, "ArrowUp", "ltr")).toBe(-1);
  });
});
