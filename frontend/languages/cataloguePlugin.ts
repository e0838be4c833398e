import { relative } from "node:path";
import { createCompilationErrorMessage, createCompiledCatalog } from "@lingui/cli/api";
import type { CatalogFormatter } from "@lingui/conf";
import type { Plugin } from "vite";
import config from "../lingui.config.ts";
import { type Loaded, loadedFiles, PARTS, type Part, partOf } from "./parts.ts";

const format = config.format as CatalogFormatter;
const ASKED = new RegExp(
  `locale/(\\w+)/LC_MESSAGES/django\\.po\\?(${PARTS.join("|")})(&english)?$`,
);

/**
 * `import { messages } from ".../django.po?first"` (or `?later`, `?researchers`): a catalogue's part, compiled. With
 * `&english` it is what that part translates: English has no catalogue of its own.
 *
 * Lingui's own plugin compiles a catalogue whole, and experts would wait for researchers' words; its extractor of one
 * catalogue for each page (experimental) would ask for the same translation many times.
 */
export function cataloguePlugin(): Plugin {
  let loaded: Loaded = loadedFiles();
  return {
    name: "hlv-study-catalogues",
    buildStart() {
      loaded = loadedFiles();
    },
    transform: {
      filter: { id: ASKED },
      async handler(source, id) {
        const [, translated = "", part, english] = ASKED.exec(id) ?? [];
        const locale = english ? "en" : translated;
        const messages = await messagesOf(source, locale, part as Part, loaded);
        const compiled = createCompiledCatalog(locale, messages, { namespace: "es" });
        if (compiled.errors.length > 0)
          throw new Error(createCompilationErrorMessage(locale, compiled.errors));
        return { code: compiled.source, map: null, moduleType: "js" };
      },
    },
  };
}

/** The name of the file with a part of a catalogue, such as `words-de-first`. */
export function wordsOf(id: string): string | undefined {
  const [, translated, part, english] = ASKED.exec(id) ?? [];
  return translated && `words-${english ? "en" : translated}-${part}`;
}

/** One part of a catalogue: each message's id and its translation; its English if that is asked for, or all there is. */
export async function messagesOf(
  catalogue: string,
  locale: string,
  part: Part,
  loaded: Loaded,
): Promise<Record<string, string>> {
  const entries = await format.parse(catalogue, {
    locale,
    sourceLocale: config.sourceLocale ?? "en",
    filename: relative(config.rootDir ?? ".", `locale/${locale}`),
  });
  return Object.fromEntries(
    Object.entries(entries)
      .filter(([, { origin, obsolete }]) => !obsolete && partOf(origin, loaded) === part)
      .map(([id, { translation, message = id }]) => [
        id,
        locale === config.sourceLocale ? message : translation || message,
      ]),
  );
}
