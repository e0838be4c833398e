import { relative } from "node:path";
import { createCompilationErrorMessage, createCompiledCatalog } from "@lingui/cli/api";
import type { CatalogFormatter } from "@lingui/conf";
import type { Plugin } from "vite";
import config from "../lingui.config.ts";
import { everybodysFiles, type Part, partOf } from "./parts.ts";

const format = config.format as CatalogFormatter;
const ASKED = /locale\/(\w+)\/LC_MESSAGES\/django\.po\?(everybody|researchers)(&english)?$/;

/**
 * `import { messages } from ".../django.po?everybody"` (or `?researchers`): a catalogue's part, compiled. With
 * `&english` it is what that part translates: English has no catalogue of its own.
 *
 * Lingui's own plugin compiles a catalogue whole, and experts would wait for researchers' words; its extractor of one
 * catalogue for each page (experimental) would ask for the same translation many times.
 */
export function cataloguePlugin(): Plugin {
  let everybodys: ReadonlySet<string> = new Set();
  return {
    name: "hlv-study-catalogues",
    buildStart() {
      everybodys = everybodysFiles();
    },
    transform: {
      filter: { id: ASKED },
      async handler(source, id) {
        const [, translated = "", part, english] = ASKED.exec(id) ?? [];
        const locale = english ? "en" : translated;
        const messages = await messagesOf(source, locale, part as Part, everybodys);
        const compiled = createCompiledCatalog(locale, messages, { namespace: "es" });
        if (compiled.errors.length > 0)
          throw new Error(createCompilationErrorMessage(locale, compiled.errors));
        return { code: compiled.source, map: null, moduleType: "js" };
      },
    },
  };
}

/** One part of a catalogue: each message's id and its translation; its English if that is asked for, or all there is. */
export async function messagesOf(
  catalogue: string,
  locale: string,
  part: Part,
  everybodys: ReadonlySet<string>,
): Promise<Record<string, string>> {
  const entries = await format.parse(catalogue, {
    locale,
    sourceLocale: config.sourceLocale ?? "en",
    filename: relative(config.rootDir ?? ".", `locale/${locale}`),
  });
  return Object.fromEntries(
    Object.entries(entries)
      .filter(([, { origin, obsolete }]) => !obsolete && partOf(origin, everybodys) === part)
      .map(([id, { translation, message = id }]) => [
        id,
        locale === config.sourceLocale ? message : translation || message,
      ]),
  );
}
