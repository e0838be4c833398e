import { describe, expect, test } from "vitest";
import type { Label } from "~/api/types";
import { find } from "./finding";

const label = (position: number, name: string, search_words: string[] = []): Label => ({
  position,
  name,
  search_words,
  exclusive: false,
});

const labels = [
  label(0, "Criminal law", ["police", "theft"]),
  label(1, "Family law", ["divorce", "custody"]),
  label(2, "Élder Law"),
  label(3, "Tax"),
  label(4, "Housing and residential tenancies", ["tenant", "landlord", "public housing", "rent"]),
  label(5, "Not a legal issue"),
];

const found = (typed: string, among = labels) =>
  find(among, typed).map((one) => [one.label.name, one.by]);

describe("finding labels", () => {
  test("nothing typed finds all of them in their order", () => {
    expect(find(labels, "  ").map((one) => one.label.position)).toEqual([0, 1, 2, 3, 4, 5]);
  });
  test("by the name's beginning first, then by a word in it, without accents or case", () => {
    expect(found("elder")).toEqual([["Élder Law", null]]);
    expect(found("LAW").map(([name]) => name)).toEqual(["Criminal law", "Family law", "Élder Law"]);
    expect(found("t")[0]).toEqual(["Tax", null]);
    expect(found("tenanc")).toEqual([["Housing and residential tenancies", null]]);
    expect(found("zzz")).toEqual([]);
  });
  test("by a search word, and it says by which", () => {
    expect(found("tenant")).toEqual([["Housing and residential tenancies", "tenant"]]);
    expect(found("Landl")).toEqual([["Housing and residential tenancies", "landlord"]]);
    expect(found("divorce")).toEqual([["Family law", "divorce"]]);
  });
  test("by a longer form of a search word, and by all words of a phrase in any order", () => {
    expect(found("tenants")).toEqual([["Housing and residential tenancies", "tenant"]]);
    expect(found("divorced")).toEqual([["Family law", "divorce"]]);
    expect(found("housing pub")).toEqual([["Housing and residential tenancies", "public housing"]]);
    expect(found("rentable furniture")).toEqual([]);
  });
  test("a whole search word is a better match than the beginning of another", () => {
    const two = [label(0, "A", ["rental car"]), label(1, "B", ["rent"])];
    expect(found("rent", two)).toEqual([
      ["B", "rent"],
      ["A", "rental car"],
    ]);
  });
  test("in German, with ä or ae or a, ss or ß", () => {
    const german = [
      label(0, "Straßenverkehr", ["Führerschein", "Bußgeld"]),
      label(1, "Verträge", ["Käufer"]),
    ];
    for (const typed of ["strassen", "fuehrer", "führer", "fuhrer", "bussgeld"])
      expect(found(typed, german).map(([name]) => name)).toEqual(["Straßenverkehr"]);
    for (const typed of ["vertrag", "vertraege", "KAEUFER"])
      expect(found(typed, german).map(([name]) => name)).toEqual(["Verträge"]);
  });
  test("in Arabic, without vowel signs, with any alif, and without the article", () => {
    const arabic = [
      label(0, "قانون الأسرة", ["طلاق", "حضانة الأطفال"]),
      label(1, "قانون الإيجار", ["المُستأجِر", "المالك"]),
    ];
    expect(found("اسرة", arabic)).toEqual([["قانون الأسرة", null]]);
    expect(found("طَلاق", arabic)).toEqual([["قانون الأسرة", "طلاق"]]);
    expect(found("اطفال", arabic)).toEqual([["قانون الأسرة", "حضانة الأطفال"]]);
    expect(found("مستاجر", arabic)).toEqual([["قانون الإيجار", "المُستأجِر"]]);
    expect(found("ايجار", arabic)).toEqual([["قانون الإيجار", null]]);
  });
});
