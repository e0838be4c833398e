import { describe, expect, test } from "vitest";
import { headline, minutes, pace } from "./words";

const overview = { done: 3, total: 12, forecast: { date: "2026-11-28", per_day: 2, reason: "" } };

describe("an overview in words", () => {
  test("the headline says how far the study is and when it ends", () => {
    const told = (change: object) => headline({ ...overview, ...change } as never);
    expect(told({})).toMatch(
      /^3 of 12 answers are in\. At this pace, the last one will arrive on 28 Nov( 2026)?\.$/,
    );
    expect(told({ done: 12 })).toBe("All 12 answers are in.");
    expect(told({ done: 1, total: 1 })).toBe("The only answer is in.");
    expect(told({ total: 0, done: 0 })).toMatch(/^Nothing is planned yet/);
    expect(told({ forecast: { date: null } })).toBe("3 of 12 answers are in.");
  });

  test("the pace is the server's reason where there is none", () => {
    expect(pace({ ...overview.forecast, per_day: 1 })).toBe("1 answer per day in the last 7 days");
    expect(pace({ ...overview.forecast, reason: "Nobody has answered." })).toBe(
      "Nobody has answered.",
    );
  });

  test("active time is in minutes and seconds", () => {
    expect([minutes(72_400), minutes(5_900), minutes(null)]).toEqual(["1:12", "0:06", "–"]);
  });
});
