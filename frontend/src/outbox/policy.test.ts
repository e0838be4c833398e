import { describe, expect, test } from "vitest";
import { ApiError } from "~/api/errors";
import { judge, MANY_ATTEMPTS, pause } from "./policy";

const error = (status: number, code: string) => new ApiError(status, code, "");

describe("what a failure means", () => {
  test.each([
    [0, "offline"],
    [408, "http_408"],
    [429, "throttled"],
    [502, "http_502"],
    [503, "http_503"],
    [504, "http_504"],
  ])("%d (%s) passes: it is tried for ever", (status, code) => {
    expect(judge(error(status, code), 1)).toBe("later");
    expect(judge(error(status, code), 10_000)).toBe("later");
  });
  test.each([
    [400, "invalid"],
    [404, "not_found"],
    [409, "not_accepting"],
    [409, "already_answered"],
    [409, "step_locked"],
  ])("%d %s was said by the application and does not change", (status, code) => {
    expect(judge(error(status, code), 1)).toBe("refused");
  });
  test.each([
    [404, "http_404"],
    [500, "http_500"],
    [413, "http_413"],
  ])(
    "%d without a code may be a proxy's or a passing fault, but does not block the rest for ever",
    (status, code) => {
      expect(judge(error(status, code), 1)).toBe("later");
      expect(judge(error(status, code), MANY_ATTEMPTS)).toBe("refused");
    },
  );
  test.each([
    [401, "not_authenticated"],
    [403, "not_authenticated"],
    [403, "permission_denied"],
    [409, "other_user"],
  ])("%d %s asks who is there before anything else is sent", (status, code) => {
    expect(judge(error(status, code), 1)).toBe("who");
  });
});

describe("the pause after a failure", () => {
  test("doubles from a second to a minute", () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 8, 500].map((failures) => pause(failures, () => 1));
    expect(longest).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000));
  });
  test("a random half is taken off, so that pages do not come back all at once", () => {
    expect(pause(3, () => 0)).toBe(2_000);
    expect(pause(3, () => 0.5)).toBe(3_000);
  });
});
