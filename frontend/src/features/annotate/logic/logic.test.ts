import { describe, expect, test } from "vitest";
import type { Label } from "~/api/types";
import { ActiveTime } from "./activeTime";
import { type Box, moveTo } from "./moving";
import { missing, nearestWord, pressed, slid, toBody, unanswered } from "./preference";
import { matching, toggle } from "./selection";
import { doneOf, percent, savedAt, timeLeft } from "./wording";

const labels: Label[] = ["Criminal law", "Family law", "Élder Law", "Tax"].map(
  (name, position) => ({
    name,
    position,
    exclusive: false,
  }),
);
labels.push({ name: "Not a legal issue", position: 4, exclusive: true });

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
  test("typing finds names by any part, without accents or case, beginnings first", () => {
    expect(matching(labels, "elder").map((label) => label.position)).toEqual([2]);
    expect(matching(labels, "LAW").map((label) => label.position)).toEqual([0, 1, 2]);
    expect(matching(labels, "t").map((label) => label.name)[0]).toBe("Tax");
    expect(matching(labels, "zzz")).toEqual([]);
  });
});

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

describe("step 2 by keyboard", () => {
  test("nothing is preset, and both parts are asked for", () => {
    expect(missing(unanswered)).toEqual(["which is more accurate", "how certain you are"]);
  });
  test.each([
    ["a", "a"],
    ["B", "b"],
    ["o", "both"],
    ["n", "neither"],
  ])("%s answers %s", (key, answer) => {
    expect(pressed(unanswered, key).answer).toBe(answer);
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

describe("active time", () => {
  test("counts while used, and at most 30 seconds after the last use", () => {
    const clock = new ActiveTime(0);
    clock.used(10_000);
    expect(clock.read(20_000)).toBe(20_000);
    expect(clock.read(300_000)).toBe(40_000);
    clock.used(400_000);
    expect(clock.read(405_000)).toBe(45_000);
  });
  test("a hidden page does not count", () => {
    const clock = new ActiveTime(0);
    clock.shown(5_000, false);
    clock.shown(65_000, true);
    expect(clock.read(70_000)).toBe(10_000);
  });
});

describe("wording", () => {
  test("time left is said as people say it", () => {
    expect([null, 0, 1, 3, 40, 60, 90, 115].map(timeLeft)).toEqual([
      "",
      "",
      "about a minute left",
      "about 3 minutes left",
      "about 40 minutes left",
      "about 60 minutes left",
      "about 1½ hours left",
      "about 2 hours left",
    ]);
  });
  test("saved shows the time, and the day when it was another one", () => {
    const now = new Date(2026, 10, 20, 15, 0);
    expect(savedAt(new Date(2026, 10, 20, 14, 3).toISOString(), now)).toBe("Saved 14:03");
    expect(savedAt(new Date(2026, 10, 19, 9, 5).toISOString(), now)).toBe("Saved 19 Nov, 09:05");
    expect(savedAt(null)).toBe("");
  });
  test("progress and shares", () => {
    expect(doneOf({ done: 7, total: 28 })).toBe("7 of 28 done");
    expect(percent(0.35)).toBe("35 %");
  });
});
