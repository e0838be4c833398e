import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

/** When a message is loaded: with the first script, with what that fetches later, or with a researcher's page. */
export const PARTS = ["first", "later", "researchers"] as const;
export type Part = (typeof PARTS)[number];
/** The files that experts load, as catalogues name them. */
export type Loaded = { first: ReadonlySet<string>; later: ReadonlySet<string> };

/** What a researcher's page is imported by, in `src/languages/researchers.ts`. */
const NOT_FOR_EXPERTS = "forResearchers";
const ROOT = join(import.meta.dirname, "../..");
const SRC = join(ROOT, "frontend/src");

type Origins = readonly (readonly [string, number?])[] | undefined;

/** The part of the pages' catalogue that holds a message said in these files; none where only Python says it. */
export function partOf(origins: Origins, { first, later }: Loaded): Part | null {
  // One line of a catalogue may hold several files: other programs than Lingui write it so.
  const files = (origins ?? []).flatMap(([line]) => line.split(/\s+/));
  const pages = files.filter((file) => file !== "" && !file.endsWith(".py"));
  if (pages.length === 0) return null;
  if (pages.some((file) => first.has(file))) return "first";
  return pages.some((file) => later.has(file)) ? "later" : "researchers";
}

/**
 * All that the pages' first script imports, at once or later, unless it does so with `forResearchers`.
 *
 * Read from the imports themselves, so that there is no list to keep: a component that an expert's page begins to use
 * brings its words along.
 */
export function loadedFiles(): Loaded {
  const asNamed = (files: Iterable<string>) =>
    new Set([...files].map((file) => relative(ROOT, file).replaceAll("\\", "/")));
  const main = join(SRC, "main.tsx");
  const first = reachedFrom(main, ({ atOnce }) => atOnce);
  const all = reachedFrom(main, ({ atOnce, whenUsed }) => [...atOnce, ...whenUsed]);
  return { first: asNamed(first), later: asNamed([...all].filter((file) => !first.has(file))) };
}

function reachedFrom(
  start: string,
  followed: (imports: Imports) => readonly string[],
): Set<string> {
  const waiting = [start];
  const found = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const folder = dirname(file);
    const names = followed(importsOf(readFileSync(file, "utf8")));
    waiting.push(...names.flatMap((name) => fileOf(name, folder) ?? []));
  }
  return found;
}

type Imports = { atOnce: string[]; whenUsed: string[] };

/** What a file imports for experts: modules by the names it gives them. Types are not there when it runs. */
export function importsOf(source: string): Imports {
  const found: Imports = { atOnce: [], whenUsed: [] };
  function visit(node: ts.Node) {
    if (ts.isCallExpression(node)) {
      if (ts.isIdentifier(node.expression) && node.expression.text === NOT_FOR_EXPERTS) return;
      const [only] = node.arguments;
      if (
        node.expression.kind === ts.SyntaxKind.ImportKeyword &&
        only &&
        ts.isStringLiteralLike(only)
      )
        found.whenUsed.push(only.text);
    }
    if (
      (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) ||
      (ts.isExportDeclaration(node) && !node.isTypeOnly)
    ) {
      const { moduleSpecifier: from } = node;
      if (from && ts.isStringLiteral(from)) found.atOnce.push(from.text);
    }
    ts.forEachChild(node, visit);
  }
  visit(ts.createSourceFile("any.tsx", source, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX));
  return found;
}

/** The project's own file behind a name; none for packages and styles. */
function fileOf(name: string, folder: string): string | undefined {
  if (!/^(~\/|\.)/.test(name)) return undefined;
  const path = name.startsWith("~/") ? join(SRC, name.slice(2)) : resolve(folder, name);
  return [path, `${path}.tsx`, `${path}.ts`].find(
    (file) => /\.tsx?$/.test(file) && existsSync(file),
  );
}
