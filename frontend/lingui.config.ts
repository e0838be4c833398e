import { join } from "node:path";
import { createBabelExtractor } from "@lingui/cli/api/extractors/babel";
import type { LinguiConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";
import { pythonExtractor } from "./languages/pythonExtractor.ts";

/** One catalogue a language, of which the pages take their part and Django the rest (docs/pages.md). */
const config: LinguiConfig = {
  // English is the source: it is what the others are catalogues of.
  locales: ["de", "ar"],
  sourceLocale: "en",
  rootDir: join(import.meta.dirname, ".."),
  catalogs: [
    {
      path: "<rootDir>/locale/{locale}/LC_MESSAGES/django",
      include: ["frontend/src", "annotations", "hlvstudy", "metaeval"].map(
        (folder) => `<rootDir>/${folder}`,
      ),
    },
  ],
  // Without line numbers: they would change with every edit, and make every merge a conflict.
  format: formatter({ lineNumbers: false }),
  orderBy: "message",
  extractors: [createBabelExtractor(), pythonExtractor],
};

export default config;
