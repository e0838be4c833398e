import { expect, test } from "vitest";
import { percent } from "./percent";

test("a share is a whole percentage", () => {
  expect(percent(0.35)).toBe("35 %");
});
