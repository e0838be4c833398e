import { describe, expect, it } from "vitest";
import { byDay, detailsOf } from "./days";

describe("the history", () => {
  it("is grouped by day, in the order in which it came", () => {
    const events = ["2026-11-03T12:00:00Z", "2026-11-02T12:10:00Z", "2026-11-02T12:00:00Z"];
    const days = byDay(events.map((at) => ({ at })));
    expect(days.map((one) => one.events.length)).toEqual([1, 2]);
    expect(days[0]?.day).toMatch(/^Tuesday,? 3 November 2026$/);
  });

  it("tells details without the brackets of a machine", () => {
    expect(detailsOf({ experts_per_comparison: 4, systems: ["A", "B"], skipped: true })).toEqual([
      ["experts per comparison", "4"],
      ["systems", "A, B"],
      ["skipped", "yes"],
    ]);
    expect(detailsOf({ filters: { pilot: "only", from: null } })).toEqual([
      ["filters", "pilot only, from none"],
    ]);
    expect(detailsOf(null)).toEqual([]);
  });
});
