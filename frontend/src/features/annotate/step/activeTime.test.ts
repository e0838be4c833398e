import { describe, expect, test } from "vitest";
import { ActiveTime, IDLE_AFTER_MS } from "./activeTime";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("active time, as docs/data.md defines it", () => {
  test("what is used all the time counts whole", () => {
    const clock = new ActiveTime(0);
    for (let now = 0; now <= MINUTE; now += 5 * SECOND) clock.used(now);
    expect(clock.read(MINUTE)).toBe(MINUTE);
  });

  test("after the last use 30 seconds count, and what comes later counts again", () => {
    const clock = new ActiveTime(0);
    expect(clock.read(IDLE_AFTER_MS - 1)).toBe(IDLE_AFTER_MS - 1);
    expect(clock.read(10 * MINUTE)).toBe(IDLE_AFTER_MS);
    clock.used(10 * MINUTE);
    expect(clock.read(10 * MINUTE + 4 * SECOND)).toBe(IDLE_AFTER_MS + 4 * SECOND);
  });

  test("a hidden page does not count, and coming back is a use", () => {
    const clock = new ActiveTime(0);
    clock.shown(5 * SECOND, false);
    clock.shown(HOUR, true);
    expect(clock.read(HOUR + 10 * SECOND)).toBe(15 * SECOND);
    expect(clock.read(2 * HOUR)).toBe(5 * SECOND + IDLE_AFTER_MS);
  });

  test("keys pressed while it is paused or hidden do not make it count", () => {
    const clock = new ActiveTime(0);
    clock.shown(2 * SECOND, false);
    for (let now = 3 * SECOND; now < MINUTE; now += SECOND) clock.used(now);
    clock.shown(MINUTE, true);
    expect(clock.read(MINUTE)).toBe(2 * SECOND);
  });

  test("a page that was opened in the background counts from the moment it is seen", () => {
    const clock = new ActiveTime(0, false);
    expect(clock.read(HOUR)).toBe(0);
    clock.shown(HOUR, true);
    expect(clock.read(HOUR + SECOND)).toBe(SECOND);
  });

  test("a closed laptop counts for 30 seconds, whether its clock went on or stood still", () => {
    const went = new ActiveTime(0);
    went.used(10 * SECOND);
    went.used(8 * HOUR);
    expect(went.read(8 * HOUR + SECOND)).toBe(10 * SECOND + IDLE_AFTER_MS + SECOND);
    const stood = new ActiveTime(0);
    stood.used(10 * SECOND);
    stood.used(11 * SECOND);
    expect(stood.read(11 * SECOND)).toBe(11 * SECOND);
  });

  test("reading it often adds nothing, and a clock that goes back takes nothing away", () => {
    const clock = new ActiveTime(0);
    for (const now of [SECOND, SECOND, 500, 2 * SECOND]) clock.read(now);
    expect(clock.read(2 * SECOND)).toBeGreaterThanOrEqual(2 * SECOND);
    expect(clock.read(2 * SECOND)).toBe(clock.read(2 * SECOND));
  });
});
