import { expect, test } from "vitest";
import { placeOf, STEPS } from "./steps";

test("an address that names no step is the first step", () => {
  expect(placeOf(undefined)).toBe(0);
  expect(placeOf("nowhere")).toBe(0);
  expect(STEPS[placeOf("amount")]?.to).toBe("amount");
});
