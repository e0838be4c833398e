import { expect, test } from "vitest";
import { tabAt } from "./workspace";

test("every address of a study belongs to one tab", () => {
  expect(tabAt("/studies/areas", "areas")).toBe("Overview");
  expect(tabAt("/studies/areas/", "areas")).toBe("Overview");
  expect(tabAt("/studies/areas/people", "areas")).toBe("People");
  expect(tabAt("/studies/areas/design/check", "areas")).toBe("Design");
  expect(tabAt("/studies/areas/preview", "areas")).toBe("");
});
