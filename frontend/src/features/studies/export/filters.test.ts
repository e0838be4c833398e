import { describe, expect, it } from "vitest";
import { EVERYTHING, filtersInWords, followed } from "./filters";

describe("the filters of an export", () => {
  it("are said in a few words", () => {
    expect(filtersInWords(EVERYTHING)).toBe("All answers");
    expect(filtersInWords({ ...EVERYTHING, pilot: "exclude", to: "2025-11-02" })).toBe(
      "Without the pilot · Up to 2 Nov 2025",
    );
    expect(filtersInWords({ simulated: "only", revisions: "all", identified: true })).toBe(
      "Only simulated experts · All versions · With names",
    );
  });

  it("are left at their defaults where the format does not follow them", () => {
    const wanted = { ...EVERYTHING, pilot: "only" as const, identified: true };
    expect(followed(wanted, [])).toEqual(EVERYTHING);
    expect(followed(wanted, ["pilot"])).toEqual({ ...EVERYTHING, pilot: "only" });
  });
});
