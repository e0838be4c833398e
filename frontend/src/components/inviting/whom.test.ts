import { describe, expect, it } from "vitest";
import { asCsv, asked, asLines, isTable } from "./whom";

describe("whom to invite", () => {
  it.each([
    ["a@example.org, b@example.org", false],
    ["Erin <a@example.org>; b@example.org", false],
    ["email,name\na@example.org,A", true],
    ["Name;E-Mail;Role\nA;a@example.org;expert", true],
    ["a@example.org\tErin\texpert", true],
    ["", false],
    ["nobody", false],
  ])("knows a table that was pasted: %j", (text, is) => {
    expect(isTable(text)).toBe(is);
  });

  it("sends the file in place of what was typed", () => {
    expect(asked({ typed: "x", file: { name: "a.csv", text: "email" } })).toEqual({
      table: "email",
    });
    expect(asked({ typed: "x", file: null })).toEqual({ addresses: "x" });
  });
});

describe("all links at once", () => {
  const issued = [
    {
      invitation: { email: "a@example.org", name: 'Ann "A"' },
      link: "http://x/#1",
      subject: "S",
      text: "T\n\nU",
    },
    {
      invitation: { email: "b@example.org", name: "" },
      link: "http://x/#2",
      subject: "",
      text: "",
    },
  ];

  it("has one line per person", () => {
    expect(asLines(issued)).toBe("a@example.org\thttp://x/#1\nb@example.org\thttp://x/#2");
  });

  it("is a table whose cells may hold anything", () => {
    expect(asCsv(issued).split("\r\n")[1]).toBe(
      '"a@example.org","Ann ""A""","http://x/#1","S","T\n\nU"',
    );
  });
});
