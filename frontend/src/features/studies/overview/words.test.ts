import { describe, expect, test } from "vitest";
import { ago, day, headline, minutes } from "./words";

const now = new Date("2026-11-23T12:00:00Z");
const overview = { done: 3, total: 12, forecast: { date: "2026-11-28", per_day: 2, reason: "" } };

describe("an overview in words", () => {
  test("the headline says how far the study is and when it ends", () => {
    const told = (change: object) => headline({ ...overview, ...change } as never);
    expect(told({})).toBe("3 of 12 answers are here; at this pace the last comes on 28 Nov.");
    expect(told({ done: 12 })).toBe("All 12 answers are here.");
    expect(told({ total: 0, done: 0 })).toMatch(/^Nothing is planned yet/);
    expect(told({ forecast: { date: null } })).toBe("3 of 12 answers are here.");
  });
  test("times are in the largest unit that fits", () => {
    expect(ago("2026-11-23T11:59:30Z", now)).toBe("just now");
    expect(ago("2026-11-23T11:48:00Z", now)).toBe("12 minutes ago");
    expect(ago("2026-11-22T11:00:00Z", now)).toBe("1 day ago");
    expect(ago(null, now)).toBe("not yet");
    expect([minutes(72_400), minutes(5_900), minutes(null)]).toEqual(["1:12", "0:06", "–"]);
    expect([day("2026-11-03", now), day("2027-01-03", now)]).toEqual(["3 Nov", "3 Jan 2027"]);
  });
});
