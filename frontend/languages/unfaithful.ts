import { parsePoFile } from "@lingui/format-po";
import { differences } from "./differences.ts";

/** All complaints about a catalogue's translations, each with its message. */
export function unfaithful(catalogue: string, locale: string): string[] {
  return parsePoFile(catalogue)
    .items.filter(({ msgid, obsolete }) => msgid !== "" && !obsolete)
    .flatMap(({ msgid, msgstr }) =>
      differences(msgid, msgstr[0] ?? "", locale).map((what) => `“${msgid}” ${what}`),
    );
}
