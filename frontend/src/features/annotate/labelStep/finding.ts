import type { Label } from "~/api/types";

/** A label that was found, and the search word that found it, if its own name did not. */
export type Found = { label: Label; by: string | null };

/** From this length on, a typed word may be a longer form of a search word: "tenants" finds what "tenant" does. */
const LEAST_STEM = 4;
const MOST_ENDING = 3;

/**
 * The labels that match what was typed, best first: by the beginning of the name, by the beginning of a word in it,
 * by a search word, and last by any part of the name. Case, accents and Arabic vowel signs do not matter.
 */
export function find(labels: readonly Label[], typed: string): Found[] {
  const wanted = plain(typed);
  if (wanted === "") return labels.map((label) => ({ label, by: null }));
  return labels
    .map((label) => ({ label, ...best(label, typed, wanted) }))
    .filter((found) => found.rank < NOT_FOUND)
    .sort((a, b) => a.rank - b.rank)
    .map(({ label, by }) => ({ label, by }));
}

const [BEGINS, HAS_WORD, IS_WORD, LEADS_TO, PART, NOT_FOUND] = [0, 1, 2, 3, 4, 5];

function best(label: Label, typed: string, wanted: string): { rank: number; by: string | null } {
  const names = spellings(label.name);
  const keys = [...new Set([wanted, ...spellings(typed)])];
  const isIn = (matches: (name: string, key: string) => boolean) =>
    names.some((name) => keys.some((key) => matches(name, key)));
  if (isIn((name, key) => name.startsWith(key))) return { rank: BEGINS, by: null };
  if (isIn(hasWords)) return { rank: HAS_WORD, by: null };
  let by: { rank: number; by: string | null } | null = null;
  for (const word of label.search_words) {
    const rank = spellings(word).some((one) => keys.includes(one)) ? IS_WORD : LEADS_TO;
    const leads = spellings(word).some((one) => keys.some((key) => leadsTo(one, key)));
    if (leads && (by === null || rank < by.rank)) by = { rank, by: word };
  }
  if (by) return by;
  return { rank: isIn((name, key) => name.includes(key)) ? PART : NOT_FOUND, by: null };
}

/** Whether each typed word begins a word of the text. */
function hasWords(text: string, typed: string): boolean {
  const words = text.split(BETWEEN_WORDS).flatMap((word) => [word, withoutArticle(word)]);
  return typed.split(BETWEEN_WORDS).every((part) => words.some((word) => word.startsWith(part)));
}

function leadsTo(word: string, typed: string): boolean {
  if (word.startsWith(typed) || hasWords(word, typed)) return true;
  const isLonger = word.length >= LEAST_STEM && typed.length - word.length <= MOST_ENDING;
  return isLonger && typed.startsWith(word);
}

const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u;

/** Arabic "ال" is prefixed to a word. */
function withoutArticle(word: string): string {
  return word.startsWith("ال") ? word.slice(2) : word;
}

/** A text without accents and, if it has such letters, with "ae" for "ä": people type both. */
function spellings(text: string): string[] {
  const lower = text.toLocaleLowerCase();
  const spelt = lower.replace(/[äöü]/g, (letter) => `${plain(letter)}e`);
  return [...new Set([plain(lower), plain(spelt)])];
}

function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}|\u0640/gu, "") // accents, vowel signs, and the stroke that only stretches a word
    .toLocaleLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("ة", "ه")
    .replaceAll("ى", "ي")
    .trim();
}
