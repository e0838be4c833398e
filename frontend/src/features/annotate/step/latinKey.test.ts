import { expect, test } from "vitest";
import { latinKey } from "./latinKey";

test.each([
  [{ key: "a", code: "KeyA" }, "a"],
  [{ key: "ش", code: "KeyA" }, "A"],
  [{ key: "٣", code: "Digit3" }, "3"],
  [{ key: "٣", code: "Numpad3" }, "3"],
  [{ key: "Enter", code: "Enter" }, "Enter"],
  // On a French keyboard, the letter counts, not its position.
  [{ key: "a", code: "KeyQ" }, "a"],
  [{ key: "ü", code: "BracketLeft" }, "ü"],
])("%o is the key %s", (event, name) => {
  expect(latinKey(event)).toBe(name);
});
