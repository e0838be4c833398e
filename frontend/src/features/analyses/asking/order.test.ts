import { describe, expect, test } from "vitest";
import type { Analysis } from "~/api/types";
import { answeredGroup, inGroups, isKeptBack, presetGroup, settingsOf } from "./order";

const analysis = (name: string, group: string, place: number, more: Partial<Analysis> = {}) =>
  ({ name, group, place, is_preset: false, latest: null, ...more }) as Analysis;

describe("questions", () => {
  const latest = {
    id: "1",
    number: null,
    is_planned: null,
    finished_at: null,
    is_simulated: false,
    answer: "Of 6 metrics",
  };
  test("the preset one stands first, then what was answered, then the others by place", () => {
    const found = inGroups([
      analysis("power", "Planning", 400),
      analysis("quality", "The study itself", 300, { latest }),
      analysis("scores", "The systems", 100),
      analysis("main", "The metrics", -1, { is_preset: true }),
      analysis("ranking", "The systems", 110),
    ]);
    expect(found.map(({ group, entries }) => [group, entries.map(({ name }) => name)])).toEqual([
      [presetGroup(), ["main"]],
      [answeredGroup(), ["quality"]],
      ["The systems", ["scores", "ranking"]],
      ["Planning", ["power"]],
    ]);
  });
  test("settings have an address of their own", () => {
    expect(settingsOf("power")).toBe("?ask=power");
  });
  test("an answer is kept back where there is a result and no word of it", () => {
    const of = (answer: string | null) =>
      analysis("main", "The metrics", 0, {
        latest: { ...latest, answer },
      });
    expect(isKeptBack([of(null)])).toBe(true);
    expect(isKeptBack([of("Of 6 metrics")])).toBe(false);
    expect(isKeptBack([analysis("main", "The metrics", 0)])).toBe(false);
  });
});
