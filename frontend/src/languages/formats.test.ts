import { i18n } from "@lingui/core";
import { afterEach, describe, expect, test } from "vitest";
import {
  ago,
  calendarDay,
  clock,
  doneOf,
  fileSize,
  inDigits,
  listed,
  moment,
  percent,
} from "./formats";
import { LANGUAGES } from "./languages";

function speak(code: string) {
  i18n.load(code, {});
  i18n.activate(code, LANGUAGES.find((one) => one.code === code)?.formats);
}

afterEach(() => i18n.activate("en", "en-GB"));

describe("a share is a whole percentage, as its language writes it", () => {
  test.each([
    ["en", "35%"],
    ["de", "35\u00a0%"],
    // The mark keeps the sign beside its number in right-to-left text.
    ["ar", "35\u200e%\u200e"],
  ])("%s", (code, written) => {
    speak(code);
    expect(percent(0.35)).toBe(written);
    expect(percent(1)).toMatch(/^\P{L}*100\P{L}*$/u);
  });
});

describe("what is counted, listed and timed", () => {
  const now = new Date("2026-11-23T12:00:00Z");
  const plain = (text: string) => text.replace(/[\u2068\u2069]/g, "");

  test("is in English as British readers write it", () => {
    expect(inDigits(12_345.5)).toBe("12,345.5");
    expect(doneOf({ done: 7, total: 28 })).toBe("7 of 28 done");
    expect(doneOf({ done: 2_884, total: 2_912 })).toBe("2,884 of 2,912 done");
    expect(plain(listed(["A", "B", "C"]))).toBe("A, B and C");
    expect(calendarDay("2026-11-03", now)).toBe("3 Nov");
    expect(calendarDay("2026-11-03T12:00:00Z", now)).toBe("3 Nov");
    expect(calendarDay("2027-01-03", now)).toBe("3 Jan 2027");
    expect([fileSize(300), fileSize(12_400), fileSize(3_440_000)]).toEqual([
      "1 kB",
      "12 kB",
      "3.4 MB",
    ]);
    expect(clock(new Date(2026, 10, 23, 14, 3))).toBe("14:03");
    expect(moment("2026-11-23T12:00:00")).toBe("23 Nov 2026, 12:00");
    expect([moment(null), moment("nonsense")]).toEqual(["", "nonsense"]);
  });

  test("is in German as German readers write it", () => {
    speak("de");
    expect(inDigits(12_345.5)).toBe("12.345,5");
    expect(plain(listed(["A", "B", "C"]))).toBe("A, B und C");
    expect(calendarDay("2026-11-03", now)).toBe("3. November");
    expect(fileSize(3_440_000)).toBe("3,4 MB");
    expect(ago(new Date("2026-11-20T12:00:00Z"), now)).toBe("vor 3 Tagen");
  });

  test("keeps Western digits in Arabic, and lists without a Latin comma", () => {
    speak("ar");
    expect(inDigits(12_345)).toBe("12,345");
    expect(plain(listed(["A", "B", "C"]))).toBe("A وB وC");
    expect(moment("2026-11-23T12:00:00")).toMatch(/12:00/);
  });

  test("is as long ago as the largest unit that fits", () => {
    const since = (iso: string) => ago(new Date(iso), now);
    expect(since("2026-11-23T11:59:30Z")).toBe("now");
    expect(since("2026-11-23T11:48:00Z")).toBe("12 minutes ago");
    expect(since("2026-11-23T09:00:00Z")).toBe("3 hours ago");
    expect(since("2026-11-22T11:00:00Z")).toBe("yesterday");
    expect(since("2026-11-20T11:00:00Z")).toBe("3 days ago");
  });
});
