import { type ComponentType, lazy } from "react";
import { fetchLaterWords, fetchResearchersWords } from "./catalogues";

// biome-ignore lint/suspicious/noExplicitAny: as React's own `lazy` is declared
type AnyPage = ComponentType<any>;
type Fetch<Page extends AnyPage> = () => Promise<{ default: Page }>;

/** A page that is fetched when somebody opens it, and rendered once its messages are there in their language. */
export function forEverybody<Page extends AnyPage>(fetchPage: Fetch<Page>) {
  return withWords(fetchPage, fetchLaterWords);
}

/**
 * The same for a page that only researchers open.
 *
 * The build recognises by this name which messages experts need not load (frontend/languages/parts.ts).
 */
export function forResearchers<Page extends AnyPage>(fetchPage: Fetch<Page>) {
  return withWords(fetchPage, fetchResearchersWords);
}

function withWords<Page extends AnyPage>(fetchPage: Fetch<Page>, fetchWords: () => Promise<void>) {
  return lazy(async () => {
    const [page] = await Promise.all([fetchPage(), fetchWords()]);
    return page;
  });
}
