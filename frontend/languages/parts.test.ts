// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePoFile } from "@lingui/format-po";
import { expect, test } from "vitest";
import { messagesOf } from "./cataloguePlugin";
import { importsOf, loadedFiles, PARTS, partOf } from "./parts";

test("what experts load is found by following imports, but for researchers' pages and for types", () => {
  expect(
    importsOf(`
      import "./styles.css";
      import { a } from "./a";
      import type { B } from "./b";
      export { c } from "./c";
      const Soon = lazy(() => import("./soon"));
      const Later = forResearchers(() => import("./later").then((pages) => pages));
    `),
  ).toEqual({ atOnce: ["./styles.css", "./a", "./c"], whenUsed: ["./soon"] });
});

test("the first text is in the first script, experts' other pages come later, researchers' are for neither", () => {
  const { first, later } = loadedFiles();
  expect(first).toContain("frontend/src/features/annotate/AnnotatePage.tsx");
  expect(first).toContain("frontend/src/features/annotate/labelStep/LabelStep.tsx");
  expect(later).toContain("frontend/src/features/annotate/preferenceStep/PreferenceStep.tsx");
  expect(later).toContain("frontend/src/features/arriving/InvitationPage.tsx");
  expect([...later].filter((file) => first.has(file))).toEqual([]);
  for (const feature of ["studies", "analyses", "datasets", "system", "tokens"])
    expect([...first, ...later].filter((file) => file.includes(`/features/${feature}/`))).toEqual(
      [],
    );
});

test("a message is loaded as soon as one of its files needs it", () => {
  const loaded = { first: new Set(["a.tsx"]), later: new Set(["l.tsx"]) };
  expect(partOf([["b.tsx"], ["l.tsx"], ["a.tsx"]], loaded)).toBe("first");
  expect(partOf([["b.tsx"], ["l.tsx"]], loaded)).toBe("later");
  expect(partOf([["b.tsx"], ["c.py"]], loaded)).toBe("researchers");
  expect(partOf([["c.py"]], loaded)).toBeNull();
  expect(partOf([["b.tsx c.py"]], loaded)).toBe("researchers");
  expect(partOf([["b.tsx a.tsx c.py"]], loaded)).toBe("first");
});

const catalogueOf = (locale: string) =>
  readFileSync(join(import.meta.dirname, "../../locale", locale, "LC_MESSAGES/django.po"), "utf8");

test("English is what a catalogue translates, and what is not translated yet is in English", async () => {
  const header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n';
  const entry = (said: string, translated: string) =>
    `\n#: frontend/src/x.tsx\nmsgid "${said}"\nmsgstr "${translated}"\n`;
  const catalogue = `${header}${entry("Close", "Schließen")}${entry("Open", "")}`;
  const nothing = { first: new Set<string>(), later: new Set<string>() };
  const said = async (locale: string) =>
    Object.values(await messagesOf(catalogue, locale, "researchers", nothing));
  expect(await said("en")).toEqual(["Close", "Open"]);
  expect(await said("de")).toEqual(["Schließen", "Open"]);
});

test.each(["de", "ar"])("each message of the pages is in one part of %s", async (locale) => {
  const catalogue = catalogueOf(locale);
  const files = loadedFiles();
  const parts = await Promise.all(PARTS.map((part) => messagesOf(catalogue, locale, part, files)));
  const ids = parts.flatMap((messages) => Object.keys(messages));
  const said = parsePoFile(catalogue).items.filter(({ references }) =>
    references.some((reference) => !reference.endsWith(".py")),
  );
  expect(ids.length).toBe(said.length);
  expect(new Set(ids).size).toBe(ids.length);
});
