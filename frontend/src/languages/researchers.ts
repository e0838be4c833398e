import { type ComponentType, lazy } from "react";
import { fetchResearchersWords } from "./catalogues";

/**
 * A page that only researchers open: fetched when they do, and rendered once its messages are there in their language.
 *
 * The build recognises by this name which messages experts need not load (frontend/languages/parts.ts).
 */
// biome-ignore lint/suspicious/noExplicitAny: as React's own `lazy` is declared
export function forResearchers<Page extends ComponentType<any>>(
  fetchPage: () => Promise<{ default: Page }>,
) {
  return lazy(async () => {
    const [page] = await Promise.all([fetchPage(), fetchResearchersWords()]);
    return page;
  });
}
