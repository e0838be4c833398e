// @vitest-environment jsdom
import { beforeEach, expect, test } from "vitest";
import { forgetToken, takeToken } from "./token";

beforeEach(() => {
  sessionStorage.clear();
  history.replaceState(null, "", "/invitation");
});

test("the token leaves the address bar and survives a reload, until it is forgotten", () => {
  history.replaceState({ idx: 3 }, "", "/invitation#secret-token");
  expect(takeToken()).toBe("secret-token");
  expect(location.href).not.toContain("secret-token");
  expect(history.state).toEqual({ idx: 3 });
  expect(takeToken()).toBe("secret-token");
  forgetToken();
  expect(takeToken()).toBe("");
});

test("another link in the same tab takes the place of the first", () => {
  history.replaceState(null, "", "/invitation#first");
  takeToken();
  history.replaceState(null, "", "/invitation#second");
  expect(takeToken()).toBe("second");
});
