import { describe, expect, it } from "vitest";
import { byShare, disagreementInWords, sharesInWords } from "./words";

describe("shares in words", () => {
  it("begins with the largest and leaves out what nobody chose", () => {
    expect(byShare({ tax: 0.25, family: 0.75, none: 0 })).toEqual([
      ["family", 0.75],
      ["tax", 0.25],
    ]);
  });
  it("says how many more there are", () => {
    expect(sharesInWords({ a: 0.4, b: 0.3, c: 0.2, d: 0.1 })).toBe("a 40%, b 30%, c 20%, 1 more");
  });
  it("says how far people disagree", () => {
    expect([0, 0.5, 1].map(disagreementInWords)).toEqual([
      "On a typical text, almost everyone agrees.",
      "On a typical text, people are divided.",
      "On a typical text, people are deeply divided.",
    ]);
  });
});
