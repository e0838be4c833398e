import { expect, test } from "vitest";
import { tabAt } from "./workspace";

test("every address of a study belongs to one tab", () => {
  expect(tabAt("/studies/areas", "areas")?.to).toBe("");
  expect(tabAt("/studies/areas/", "areas")?.to).toBe("");
  expect(tabAt("/studies/areas/people", "areas")?.to).toBe("people");
  expect(tabAt("/studies/areas/design/check", "areas")?.to).toBe("design");
  expect(tabAt("/studies/areas/preview", "areas")).toBeUndefined();
});
