// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unfaithful, untranslated } from "./unfaithful";

const header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n';

test("every entry of a catalogue is looked at", () => {
  const catalogue = `${header}msgid "Text {number}, step 1"\nmsgstr "Text, Schritt 1"\n\nmsgid "Close"\nmsgstr ""\n`;
  expect(unfaithful(catalogue, "de")).toEqual(["“Text {number}, step 1” loses {number}"]);
  expect(untranslated(catalogue)).toEqual(["Close"]);
});

test.each(["de", "ar"])("the catalogue of %s that is shipped is faithful", (locale) => {
  const file = join(import.meta.dirname, "../../locale", locale, "LC_MESSAGES/django.po");
  expect(unfaithful(readFileSync(file, "utf8"), locale)).toEqual([]);
});
