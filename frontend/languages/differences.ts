import { parse, type Token } from "@messageformat/parser";

/**
 * What a translation loses or adds against its source: placeholders, tags, and plural forms.
 *
 * Every branch of a plural may leave its number out ("one minute"), but no other placeholder; and it has exactly the
 * forms that the language has: Arabic zero, one, two, few, many and other; German one and other.
 */
export function differences(source: string, translation: string, locale: string): string[] {
  let theirs: Token[];
  try {
    theirs = parse(translation);
  } catch (error) {
    return [`cannot be read: ${error instanceof Error ? error.message : error}`];
  }
  const ours = parse(source);
  return [...compare(namesIn(ours), namesIn(theirs)), ...pluralsIn(theirs, locale)];
}

function compare(ours: ReadonlySet<string>, theirs: ReadonlySet<string>): string[] {
  const lost = [...ours].filter((name) => !theirs.has(name)).map((name) => `loses ${name}`);
  const added = [...theirs].filter((name) => !ours.has(name)).map((name) => `adds ${name}`);
  return [...lost, ...added];
}

function namesIn(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  for (const token of tokens) {
    if (token.type === "content") {
      for (const tag of token.value.match(/<\/?\w+\/?>/g) ?? []) names.add(tag);
    } else if (token.type !== "octothorpe") {
      names.add(`{${token.arg}}`);
      if ("cases" in token) {
        for (const branch of token.cases) {
          for (const name of namesIn(branch.tokens)) names.add(name);
        }
      }
    }
  }
  return names;
}

function pluralsIn(tokens: readonly Token[], locale: string): string[] {
  const wanted = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
  return tokens.flatMap((token) => {
    if (token.type !== "plural") return [];
    const has = token.cases.map((branch) => branch.key).filter((key) => !/^\d+$/.test(key));
    const missing = wanted.filter((form) => !has.includes(form));
    const strange = has.filter((form) => !wanted.includes(form as Intl.LDMLPluralRule));
    return [
      ...missing.map((form) => `lacks the plural form ${form} of {${token.arg}}`),
      ...strange.map((form) => `has the plural form ${form}, which ${locale} does not`),
      ...uneven(token.cases.map((branch) => namesIn(branch.tokens))),
    ];
  });
}

/** The branches of one plural hold the same placeholders. */
function uneven(branches: readonly ReadonlySet<string>[]): string[] {
  const all = new Set(branches.flatMap((branch) => [...branch]));
  const lost = [...all].filter((name) => branches.some((branch) => !branch.has(name)));
  return lost.map((name) => `loses ${name} in one of its plural forms`);
}
