import { describe, expect, it } from "vitest";
import type { GridRow } from "./calls";
import { acts, between, moved, stateIn } from "./gridCells";

const row: GridRow = {
  position: 4,
  external_id: "t4",
  systems: ["A"],
  is_withdrawn: false,
  free: 1,
  cells: [{ expert: 2, state: "given", id: 70, is_pilot: false }],
  seen: [3],
};

describe("the grid of assignments", () => {
  it("says what stands in a cell", () => {
    expect([2, 3, 5].map((expert) => stateIn(row, expert))).toEqual(["given", "seen", "open"]);
    expect(stateIn({ ...row, free: 0 }, 5)).toBe("full");
  });

  it("stays inside when a key leads on", () => {
    expect(moved("ArrowUp", { row: 0, column: 1 }, 3, 3)).toEqual({ row: 0, column: 1 });
    expect(moved("End", { row: 0, column: 1 }, 3, 3)).toEqual({ row: 0, column: 2 });
    expect(moved("PageDown", { row: 0, column: 1 }, 3, 3)).toEqual({ row: 2, column: 1 });
    expect(moved("a", { row: 0, column: 1 }, 3, 3)).toBeNull();
  });

  it("moves as the screen shows it where the page runs to the left", () => {
    expect(moved("ArrowLeft", { row: 0, column: 1 }, 3, 3, true)).toEqual({ row: 0, column: 2 });
    expect(moved("ArrowRight", { row: 0, column: 1 }, 3, 3, true)).toEqual({ row: 0, column: 0 });
    expect(moved("ArrowLeft", { row: 0, column: 2 }, 3, 3, true)).toEqual({ row: 0, column: 2 });
  });

  it("knows all cells between two, and what can be done with them", () => {
    expect(between({ row: 1, column: 2 }, { row: 0, column: 1 })).toHaveLength(4);
    expect(acts([row], new Set(["4:2", "4:5", "9:1"]))).toEqual({
      give: [{ position: 4, expert: 5 }],
      places: [70],
    });
  });
});
