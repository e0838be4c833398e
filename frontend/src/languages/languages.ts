/** The languages of the interface, each under its own name. `formats` is how dates and numbers are written. */
export const LANGUAGES = [
  { code: "en", name: "English", direction: "ltr", formats: "en-GB" },
  { code: "de", name: "Deutsch", direction: "ltr", formats: "de" },
  // Western digits, as in the distributions, so that no page shows two kinds.
  { code: "ar", name: "العربية", direction: "rtl", formats: "ar-u-nu-latn" },
] as const;

export type Language = (typeof LANGUAGES)[number];
export type Code = Language["code"];
export type Direction = Language["direction"];

const REMEMBERED = "hlv:language";

/** The interface's language for a tag such as "de-AT"; undefined if there is none. */
export function languageOf(tag: string | null | undefined): Language | undefined {
  const base = tag?.toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find(({ code }) => code === base);
}

/** This person's language: the one chosen earlier, or else the first available one of the browser's. */
export function ownLanguage(tags: readonly string[] = navigator.languages): Language {
  const wanted = [remembered(), ...tags].map(languageOf);
  return wanted.find((language) => language !== undefined) ?? LANGUAGES[0];
}

/** Whether a language was chosen on this device. */
export const hasChosen = () => remembered() !== null;

function remembered(): string | null {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    return null;
  }
}

export function remember(code: Code): void {
  try {
    localStorage.setItem(REMEMBERED, code);
  } catch {
    // If the browser stores nothing, its own languages are used again, which does no harm.
  }
}
