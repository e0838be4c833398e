import type { CatalogFormatter } from "@lingui/conf";
import config from "../lingui.config.ts";

const format = config.format as CatalogFormatter;

/** What the pages are built with: the same catalogues without what only Django says. */
export default {
  ...config,
  format: {
    ...format,
    async parse(content: string, context: Parameters<CatalogFormatter["parse"]>[1]) {
      const entries = Object.entries(await format.parse(content, context));
      return Object.fromEntries(
        entries.filter(([, { origin }]) => origin?.some(([file]) => !file.endsWith(".py")) ?? true),
      );
    },
  },
};
