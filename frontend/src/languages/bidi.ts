import { i18n } from "@lingui/core";
import { type Direction, languageOf } from "./languages";

/** The direction of the interface's own words, which may not be the page's: for `<bdi dir>` that begin with a key's name. */
export function wordsDirection(): Direction {
  return languageOf(i18n.locale)?.direction ?? "ltr";
}

/** A name inside a sentence that cannot contain a `<bdi>`: whatever its direction, it does not disturb the rest. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}
