// `npm run messages:check` runs this too: is there a string on a page that no translation is asked for?
// With parts of paths, such as `features/studies`, only in these.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { leftOut } from "./leftOut.ts";

const SRC = join(import.meta.dirname, "../src");
const wanted = process.argv.slice(2);

const found = globSync("**/*.{ts,tsx}", { cwd: SRC })
  .filter((file) => !/\.test\.tsx?$|\.d\.ts$/.test(file))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort()
  .flatMap((file) =>
    leftOut(readFileSync(join(SRC, file), "utf8")).map(
      ({ line, text }) => `frontend/src/${file}:${line}: ${text}`,
    ),
  );
for (const one of found) console.error(one);
if (found.length > 0) {
  console.error(
    `${found.length} strings are in none of Lingui's macros (CONTRIBUTING.md, "Sentences").`,
  );
  process.exitCode = 1;
}
