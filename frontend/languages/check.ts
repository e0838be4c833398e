// `npm run messages:check` runs this after Lingui's own check: are the translations faithful, and how many are missing?
// `npm run messages:complete`, for a release, fails if one is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import config from "../lingui.config.ts";
import { unfaithful, untranslated } from "./unfaithful.ts";

const mustBeComplete = process.argv.includes("--complete");
const LOCALES = join(import.meta.dirname, "../../locale");
const found = config.locales.flatMap((locale) => {
  const catalogue = readFileSync(join(LOCALES, locale, "LC_MESSAGES", "django.po"), "utf8");
  const missing = untranslated(catalogue);
  // `make check` shows a note even if all is well (tests/tooling/checking.py).
  if (missing.length > 0)
    console.log(`note: locale/${locale} lacks ${missing.length} translations`);
  return [
    ...unfaithful(catalogue, locale),
    ...(mustBeComplete ? missing.map((said) => `“${said}” is not translated`) : []),
  ].map((complaint) => `locale/${locale}: ${complaint}`);
});
for (const complaint of found) console.error(complaint);
if (found.length > 0) {
  console.error(`${found.length} complaints: translations are missing or not faithful.`);
  process.exitCode = 1;
}
