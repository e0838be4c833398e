import { expect, test } from "vitest";
import { newKey } from "./key";

test("without a secure context the key is a version 4 UUID all the same", () => {
  const key = newKey({ getRandomValues: (array) => crypto.getRandomValues(array) });
  expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
