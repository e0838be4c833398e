import { i18n, type Messages } from "@lingui/core";
import { messages as english } from "../../../locale/de/LC_MESSAGES/django.po?first&english";
import type { Code, Language } from "./languages";

type Catalogue = { messages: Messages };
type Fetch = () => Promise<Catalogue>;

/** What the first text needs. English is part of the pages; other languages are fetched when somebody reads them. */
const FIRST: Record<Code, Fetch> = {
  en: async () => ({ messages: english }),
  de: () => import("../../../locale/de/LC_MESSAGES/django.po?first"),
  ar: () => import("../../../locale/ar/LC_MESSAGES/django.po?first"),
};

/** What experts may read later. */
const LATER: Record<Code, Fetch> = {
  en: () => import("../../../locale/de/LC_MESSAGES/django.po?later&english"),
  de: () => import("../../../locale/de/LC_MESSAGES/django.po?later"),
  ar: () => import("../../../locale/ar/LC_MESSAGES/django.po?later"),
};

/** The messages of researchers' pages, which experts do not have to load. */
const RESEARCHERS: Record<Code, Fetch> = {
  en: () => import("../../../locale/de/LC_MESSAGES/django.po?researchers&english"),
  de: () => import("../../../locale/de/LC_MESSAGES/django.po?researchers"),
  ar: () => import("../../../locale/ar/LC_MESSAGES/django.po?researchers"),
};

const wanted = new Set([FIRST]);

i18n.load("en", english);

/** Switches to a language. Without a connection the page keeps its current one, and this returns false. */
export async function speak({ code, formats }: Language, isStale = () => false): Promise<boolean> {
  try {
    await fetchWords(code);
  } catch {
    return false;
  }
  if (isStale()) return false;
  i18n.activate(code, formats);
  document.documentElement.lang = code;
  return true;
}

/** From now on, every language includes what the first text does not need. Resolves when it is loaded. */
export async function fetchLaterWords(): Promise<void> {
  wanted.add(LATER);
  await fetchWords(i18n.locale as Code);
}

/** From now on, every language includes the researchers' messages, too. Resolves when they are loaded. */
export async function fetchResearchersWords(): Promise<void> {
  wanted.add(LATER).add(RESEARCHERS);
  await fetchWords(i18n.locale as Code);
}

async function fetchWords(code: Code): Promise<void> {
  // A researcher's page may be opened while the language is still loading: then load again, with its messages.
  for (let fetched = 0; fetched < wanted.size; ) {
    const parts = [...wanted];
    const catalogues = await Promise.all(parts.map((part) => part[code]()));
    for (const { messages } of catalogues) i18n.load(code, messages);
    fetched = parts.length;
  }
}
