import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePoFile } from "@lingui/format-po";
import { expect, test } from "vitest";

/**
 * One word for one thing, in all that an expert reads (docs/reference/words.md): step 2's words are the
 * instrument of a study. Here are the words that compete with the one that was settled. What only researchers read has
 * words of its own ("distribution").
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
    [/\bgenauer?(en|es|er)?\b(?! eine)/, "zutreffend"],
    [/ausgewählt|auswählen/, "wählen"],
  ],
  ar: [
    [/توزيع/, "وصف"],
    [/جانب/, "وصف"],
  ],
};

/** What nobody is to read, on no page: words that are wrong wherever they are, or that offend. */
const NEVER: typeof INSTEAD = {
  de: [
    [/\bLabels?\b(?! Studio)/, "Kategorie"], // Label Studio is a program
    [/Verantwortliche/, "Studienleitung"],
    [/Sicherheit/, "wie sicher Sie sind"],
    [/\b(du|dich|dir|dein(e[mnrs]?)?|euch|euer)\b/i, "Sie"],
  ],
  ar: [
    [/(?<!\p{L})(ال|ل|ب|و|لل)*(زوج|أزواج)(?!\p{L}*ي)/u, "مقارنة"],
    [/(?<!\p{L})(ال|ل|ب|و)*بلاغ/u, "ملاحظة"],
    [/يقين|متيقّن|واثق|متأكد/, "درجة الثقة"],
    [/لا أحد/, "لا هذا ولا ذاك، أو: ليس أيٌّ منهما"],
    [/\p{Script=Arabic}\s*,/u, "،"],
    [
      /(?<!\p{L})(ف|و)?(يمكنك|لديك|عليك|تستطيع|اختر|اضغط|اكتب|أدخل|انقر|حاول|تأكد|حدد|سجّل|أنت|قمت)(?!\p{L})/u,
      "the plural: يمكنكم، لديكم، اختاروا، أنتم",
    ],
    [
      /(إجابت|إجابات|حساب|بريد|مرور|اختيار|دراست|دراسات|عنوان)ك(?!\p{L})/u,
      "the plural: إجابتكم، حسابكم",
    ],
  ],
};

const FOR_EXPERTS = [
  /^frontend\/src\/(outbox|features\/(annotate|arriving|session|account))\//,
  /^annotations\/(people|profiles|answering\/(recording|refusals|labelling|guessing|correcting))/,
];

type Said = { said: string; where: string[] };

function sentences(code: string): Said[] {
  // English is what the others translate.
  const written = code === "en" ? "de" : code;
  const path = join(import.meta.dirname, "../../locale", written, "LC_MESSAGES/django.po");
  return parsePoFile(readFileSync(path, "utf8")).items.map(({ msgid, msgstr, references }) => ({
    said: code === "en" ? msgid : (msgstr[0] ?? ""),
    where: references,
  }));
}

function complaints(rules: typeof INSTEAD, code: string, read: readonly Said[]): string[] {
  return read.flatMap(({ said }) =>
    (rules[code] ?? [])
      // Placeholders, with their commas, and tags are the program's and not words.
      .filter(([forbidden]) =>
        forbidden.test(said.replace(/\{\w+, plural,|\{\w+(, number)?\}|<\/?\d+>/g, "")),
      )
      .map(([, settled]) => `“${settled}” is the word, in: ${said}`),
  );
}

const forExperts = (read: readonly Said[]) =>
  read.filter(({ where }) => where.some((file) => FOR_EXPERTS.some((those) => those.test(file))));

test.each(Object.keys(INSTEAD))("what an expert reads calls one thing by one word: %s", (code) => {
  const read = forExperts(sentences(code));
  expect(read.length).toBeGreaterThan(250);
  expect(complaints(INSTEAD, code, read)).toEqual([]);
});

test.each(Object.keys(NEVER))("no sentence says what a reader would stumble over: %s", (code) => {
  expect(complaints(NEVER, code, sentences(code))).toEqual([]);
});

test("the words of the first catalogues are complained about", () => {
  const before = (...said: string[]) => said.map((one) => ({ said: one, where: [] }));
  expect(complaints(INSTEAD, "en", before("2 pairs", "It is stored", "10 %"))).toHaveLength(3);
  expect(complaints(INSTEAD, "de", before("A ist genauer", "Seite A", "Verteilung"))).toHaveLength(
    3,
  );
  expect(complaints(NEVER, "de", before("Ein Label wählen", "Ihre Sicherheit"))).toHaveLength(2);
  expect(
    complaints(
      NEVER,
      "ar",
      before("أزواجكم", "لا أحد منهما دقيق", "غير واثق", "بلاغ", "اختر", "نعم, لا", "حسابك"),
    ),
  ).toHaveLength(7);
  expect(
    complaints(
      NEVER,
      "ar",
      before("{first}، {second}", "يمكنكم", "حسابكم", "{n, plural, one {واحد}}"),
    ),
  ).toEqual([]);
});

test("the words that were settled are found where step 2 is", () => {
  const says = (code: string) => sentences(code).map(({ said }) => said);
  expect(says("en")).toContain("Still to answer: {first}");
  expect(says("de")).toContain("Beide treffen zu");
  expect(says("ar")).toContain("ليس أيٌّ منهما دقيقًا");
});
