import { msg } from "@lingui/core/macro";
import type { GridRow } from "./calls";

/** A cell: the comparison's position and the expert's number. */
export type Cell = { row: number; column: number };

export const keyOf = (position: number, expert: number) => `${position}:${expert}`;

/** A cell's content in words. */
export function stateIn(row: GridRow, expert: number): keyof typeof WORDS {
  const own = row.cells.find((cell) => cell.expert === expert);
  if (own) return own.state;
  if (row.seen.includes(expert)) return "seen";
  return row.free > 0 ? "open" : "full";
}

export const WORDS = {
  answered: msg({ message: "answered", context: "a place" }),
  in_hand: msg({ message: "in progress", context: "a place" }),
  given: msg({ message: "assigned, not started", context: "a place" }),
  skipped: msg({ message: "skipped", context: "a place" }),
  seen: msg({ message: "has the text in another comparison", context: "an expert" }),
  open: msg({ message: "place available", context: "a cell" }),
  full: msg({ message: "no free place", context: "a cell" }),
};

/**
 * Where a key leads from a cell, within so many rows and columns; null: the key does not move. Left and right are
 * directions on the screen: in a right-to-left page, the next column is on the left.
 */
export function moved(
  key: string,
  at: Cell,
  rows: number,
  columns: number,
  isMirrored = false,
): Cell | null {
  const step = isMirrored ? -1 : 1;
  const within = (value: number, most: number) => Math.max(0, Math.min(most - 1, value));
  switch (key) {
    case "ArrowUp":
      return { ...at, row: within(at.row - 1, rows) };
    case "ArrowDown":
      return { ...at, row: within(at.row + 1, rows) };
    case "ArrowLeft":
      return { ...at, column: within(at.column - step, columns) };
    case "ArrowRight":
      return { ...at, column: within(at.column + step, columns) };
    case "Home":
      return { ...at, column: 0 };
    case "End":
      return { ...at, column: columns - 1 };
    case "PageUp":
      return { ...at, row: within(at.row - 10, rows) };
    case "PageDown":
      return { ...at, row: within(at.row + 10, rows) };
    default:
      return null;
  }
}

/** All cells of the rectangle between two. */
export function between(one: Cell, other: Cell): Cell[] {
  const found: Cell[] = [];
  for (let row = Math.min(one.row, other.row); row <= Math.max(one.row, other.row); row++)
    for (
      let column = Math.min(one.column, other.column);
      column <= Math.max(one.column, other.column);
      column++
    )
      found.push({ row, column });
  return found;
}

/** What can be done with the chosen cells: comparisons to assign, by expert, and places to take back or move. */
export function acts(rows: GridRow[], chosen: ReadonlySet<string>) {
  const give: { position: number; expert: number }[] = [];
  const places: number[] = [];
  for (const row of rows) {
    const held = new Map(row.cells.map((cell) => [cell.expert, cell]));
    for (const key of chosen) {
      const [position, expert] = key.split(":").map(Number);
      if (position !== row.position || expert === undefined) continue;
      const cell = held.get(expert);
      if (cell) places.push(cell.id);
      else give.push({ position, expert });
    }
  }
  return { give, places };
}
