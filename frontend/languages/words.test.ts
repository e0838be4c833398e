import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePoFile } from "@lingui/format-po";
import { expect, test } from "vitest";

/**
 * One word for one thing, in all that an expert reads (docs/pages.md, "One word for one thing"): step 2's words are the
 * instrument of a study. Here are the words that were used beside the one that was settled.
 */
const INSTEAD: Record<string, readonly [forbidden: RegExp, settled: string][]> = {
  en: [
    [/\bdistributions?\b/i, "side"],
    [/\bdescriptions?\b/i, "side"],
    [/\bpairs?\b/i, "comparison"],
    [/\b(store|stored|stores|storing)\b/i, "saved"],
    [/\bkept\b/i, "saved, or: stays on this device"],
    [/\b(go|goes) on\b/i, "continue"],
    [/\b(an|one|every|chosen?) answers? (that fits|from)/i, "label"],
    [/%/, "percent()"],
  ],
  de: [
    [/Verteilung|Darstellung/, "Beschreibung"],
    [/Paare?\b/, "Vergleich"],
    [/\bSeiten? [AB{]/, "Beschreibung"],
    [/\bLabels?\b/, "Kategorie"],
    [/\bgenauer?(en|es|er)?\b(?! eine)/, "zutreffend"],
    [/Verantwortliche/, "Studienleitung"],
    [/Sicherheit/, "wie sicher Sie sind"],
    [/ausgewählt|auswählen/, "wählen"],
  ],
  ar: [
    [/توزيع/, "وصف"],
    [/جانب/, "وصف"],
    [/زوج|أزواج/, "مقارنة"],
    [/(?<!\p{L})(ال|ل|ب|و)*بلاغ/u, "ملاحظة"],
    [/يقين|متيقّن|واثق/, "درجة الثقة"],
    [/أشخاص/, "البشر"],
    [/لا أحد/, "لا هذا ولا ذاك، أو: ليس أيٌّ منهما"],
  ],
};

function sentences(code: string): string[] {
  const path = join(import.meta.dirname, "../../locale", code, "LC_MESSAGES/django.po");
  return parsePoFile(readFileSync(path, "utf8")).items.map(({ msgstr }) => msgstr[0] ?? "");
}

test.each(Object.keys(INSTEAD))("what an expert reads calls one thing by one word: %s", (code) => {
  const read = sentences(code);
  expect(read.length).toBeGreaterThan(300);
  const found = read.flatMap((sentence) =>
    (INSTEAD[code] ?? [])
      .filter(([forbidden]) => forbidden.test(sentence))
      .map(([, settled]) => `“${settled}” is the word, in: ${sentence}`),
  );
  expect(found).toEqual([]);
});

test("the words that were settled are found where step 2 is", () => {
  expect(sentences("en")).toContain("Still to answer: {first}");
  expect(sentences("de")).toContain("Beide treffen zu");
  expect(sentences("ar")).toContain("ليس أيٌّ منهما دقيقًا");
});
