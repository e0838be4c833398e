import { describe, expect, test } from "vitest";
import { scaleOf } from "./scale";

const page = { width: 1000, height: 700 };
const phone = { width: 350, height: 700 };

describe("a figure in its frame", () => {
  test("it fills the width, and never more", () => {
    expect(scaleOf({ width: 800, height: 400 }, page)).toBe(1.25);
    expect(scaleOf({ width: 2000, height: 400 }, page)).toBe(0.5);
    expect(scaleOf({ width: 250, height: 2000 }, phone)).toBe(1.4);
  });
  test("a small one does not shout, and a tall one can still be read", () => {
    expect(scaleOf({ width: 300, height: 300 }, page)).toBe(1.5);
    expect(scaleOf({ width: 800, height: 640 }, page)).toBe(700 / 640);
    expect(scaleOf({ width: 800, height: 3000 }, page)).toBe(0.95);
  });
});
