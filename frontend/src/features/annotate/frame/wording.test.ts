import { describe, expect, test } from "vitest";
import { savedAt, timeLeft } from "./wording";

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
});
