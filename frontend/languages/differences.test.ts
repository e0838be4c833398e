import { expect, test } from "vitest";
import { differences } from "./differences";

const left = "about {minutes, plural, one {# minute} other {# minutes}} left";

test("a faithful translation has nothing to complain about", () => {
  expect(differences("{done} of {total} done", "{done} von {total} erledigt", "de")).toEqual([]);
  expect(differences("<0>Enter</0> chooses “{name}”", "<0>Enter</0>: „{name}“", "de")).toEqual([]);
  expect(
    differences(left, "noch etwa {minutes, plural, one {eine Minute} other {# Minuten}}", "de"),
  ).toEqual([]);
});

test("a placeholder or a tag that is lost, or that nobody fills, is named", () => {
  expect(differences("{done} of {total}", "{done} von {summe}", "de")).toEqual([
    "loses {total}",
    "adds {summe}",
  ]);
  expect(differences("<0>Enter</0> goes on", "<0>Enter geht weiter", "de")).toEqual(["loses </0>"]);
});

test("each plural form of the language is asked for, and no other", () => {
  expect(
    differences(left, "noch {minutes, plural, one {# د} few {# د} other {# د}}", "ar"),
  ).toEqual([
    "lacks the plural form zero of {minutes}",
    "lacks the plural form two of {minutes}",
    "lacks the plural form many of {minutes}",
  ]);
  expect(
    differences(left, "noch {minutes, plural, one {# Min.} few {# Min.} other {# Min.}}", "de"),
  ).toEqual(["has the plural form few, which de does not"]);
});

test("no branch of a plural may lose what the others hold", () => {
  expect(
    differences(
      "{n, plural, one {# text of {name}} other {# texts of {name}}}",
      "{n, plural, one {# Text} other {# Texte von {name}}}",
      "de",
    ),
  ).toEqual(["loses {name} in one of its plural forms"]);
});

test("broken syntax is found before it reaches a page", () => {
  expect(differences("{done} done", "{done erledigt", "de")[0]).toMatch(/^cannot be read/);
});
