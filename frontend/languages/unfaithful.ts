import { parsePoFile } from "@lingui/format-po";
import { differences } from "./differences.ts";

type Entry = { said: string; translated: string };

/** All complaints about a catalogue's translations, each with its message. What is not translated yet is none. */
export function unfaithful(catalogue: string, locale: string): string[] {
  return entriesOf(catalogue)
    .filter(({ translated }) => translated !== "")
    .flatMap(({ said, translated }) =>
      differences(said, translated, locale).map((what) => `“${said}” ${what}`),
    );
}

/** The messages that are not translated yet. */
export function untranslated(catalogue: string): string[] {
  return entriesOf(catalogue)
    .filter(({ translated }) => translated === "")
    .map(({ said }) => said);
}

function entriesOf(catalogue: string): Entry[] {
  return parsePoFile(catalogue)
    .items.filter(({ msgid, obsolete }) => msgid !== "" && !obsolete)
    .map(({ msgid, msgstr }) => ({ said: msgid, translated: (msgstr[0] ?? "").trim() }));
}
