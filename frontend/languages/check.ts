// `npm run messages:check` runs this after Lingui's own checks: are the translations faithful?
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unfaithful } from "./unfaithful.ts";

const LOCALES = join(import.meta.dirname, "../../locale");
const found = process.argv.slice(2).flatMap((locale) => {
  const catalogue = readFileSync(join(LOCALES, locale, "LC_MESSAGES", "django.po"), "utf8");
  return unfaithful(catalogue, locale).map((complaint) => `locale/${locale}: ${complaint}`);
});
for (const complaint of found) console.error(complaint);
if (found.length > 0) {
  console.error(`${found.length} complaints: translations are missing or not faithful.`);
  process.exitCode = 1;
}
