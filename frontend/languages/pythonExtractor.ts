import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { ExtractorType } from "@lingui/conf";
import { generateMessageId } from "@lingui/message-utils/generateMessageId";

const SCRIPT = join(import.meta.dirname, "../../tests/tooling/python_messages.py");

/** Errors mark their sentences by functions of their own, and what is declared is not marked at all. */
const MAY_SAY_SOMETHING =
  /gettext|\b_\(|\bmarked\(|\b(analysis|PlainWords|PlanChoice|exporter)\(|(Parameters|Options|Reader|Method)\b/;

/** Django's messages, so that one extraction fills one catalogue. Python itself reads its files. */
export const pythonExtractor: ExtractorType = {
  match: (file) => file.endsWith(".py"),
  extract(file, code, found) {
    if (!MAY_SAY_SOMETHING.test(code)) return;
    const printed = execFileSync(process.env.PYTHON ?? "python3", [SCRIPT, file], {
      encoding: "utf8",
    });
    const messages: [string, number][] = JSON.parse(printed)[file];
    for (const [message, line] of messages) {
      found({ id: generateMessageId(message), message, origin: [file, line] });
    }
  },
};
