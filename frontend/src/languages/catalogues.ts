import { i18n, type Messages } from "@lingui/core";
import { messages as english } from "../../../locale/en/LC_MESSAGES/django.po";
import type { Code, Language } from "./languages";

type Catalogue = { messages: Messages };

/** English comes with the pages; the others are fetched when somebody reads them. */
const FETCHED: Record<Exclude<Code, "en">, () => Promise<Catalogue>> = {
  de: () => import("../../../locale/de/LC_MESSAGES/django.po"),
  ar: () => import("../../../locale/ar/LC_MESSAGES/django.po"),
};

i18n.load("en", english);

/** Speak a language. Without a connection the page keeps the one that it has, and this says false. */
export async function speak({ code, formats }: Language, isStale = () => false): Promise<boolean> {
  try {
    if (code !== "en") i18n.load(code, (await FETCHED[code]()).messages);
  } catch {
    return false;
  }
  if (isStale()) return false;
  i18n.activate(code, formats);
  document.documentElement.lang = code;
  return true;
}
