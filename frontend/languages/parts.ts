import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

/** Who loads a message: everybody with the pages, or only who opens a researcher's page. */
export type Part = "everybody" | "researchers";
export const PARTS: readonly Part[] = ["everybody", "researchers"];

/** What a researcher's page is imported by, in `src/languages/researchers.ts`. */
const LATER = "forResearchers";
const ROOT = join(import.meta.dirname, "../..");
const SRC = join(ROOT, "frontend/src");

type Origins = readonly (readonly [string, number?])[] | undefined;

/** The part of the pages' catalogue that holds a message said in these files; none where only Python says it. */
export function partOf(origins: Origins, everybodys: ReadonlySet<string>): Part | null {
  // One line of a catalogue may hold several files: other programs than Lingui write it so.
  const files = (origins ?? []).flatMap(([line]) => line.split(/\s+/));
  const pages = files.filter((file) => file !== "" && !file.endsWith(".py"));
  if (pages.length === 0) return null;
  return pages.some((file) => everybodys.has(file)) ? "everybody" : "researchers";
}

/**
 * The files that experts load too, as catalogues name them: all that the pages' first script imports, at once or
 * later, unless it does so with `forResearchers`.
 *
 * Read from the imports themselves, so that there is no list to keep: a component that an expert's page begins to use
 * brings its words along.
 */
export function everybodysFiles(): Set<string> {
  const waiting = [join(SRC, "main.tsx")];
  const found = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const folder = dirname(file);
    waiting.push(
      ...importsOf(readFileSync(file, "utf8")).flatMap((name) => fileOf(name, folder) ?? []),
    );
  }
  return new Set([...found].map((file) => relative(ROOT, file).replaceAll("\\", "/")));
}

/** What a file imports for everybody: modules by the names it gives them. Types are not there when it runs. */
export function importsOf(source: string): string[] {
  const names: string[] = [];
  function visit(node: ts.Node) {
    if (ts.isCallExpression(node)) {
      if (ts.isIdentifier(node.expression) && node.expression.text === LATER) return;
      const [only] = node.arguments;
      if (
        node.expression.kind === ts.SyntaxKind.ImportKeyword &&
        only &&
        ts.isStringLiteralLike(only)
      )
        names.push(only.text);
    }
    if (
      (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) ||
      (ts.isExportDeclaration(node) && !node.isTypeOnly)
    ) {
      const { moduleSpecifier: from } = node;
      if (from && ts.isStringLiteral(from)) names.push(from.text);
    }
    ts.forEachChild(node, visit);
  }
  visit(ts.createSourceFile("any.tsx", source, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX));
  return names;
}

/** The project's own file behind a name; none for packages and styles. */
function fileOf(name: string, folder: string): string | undefined {
  if (!/^(~\/|\.)/.test(name)) return undefined;
  const path = name.startsWith("~/") ? join(SRC, name.slice(2)) : resolve(folder, name);
  return [path, `${path}.tsx`, `${path}.ts`].find(
    (file) => /\.tsx?$/.test(file) && existsSync(file),
  );
}
