import ts from "typescript";

/** A string that a page may show, and that no translation is asked for. */
export type LeftOut = { line: number; text: string };

/** Attributes and properties that people read, or hear. */
const READ =
  /^(alt|aria-(label|description|valuetext|roledescription)|label|title|description|placeholder|error|caption|empty|heading|help|what|says|spoken|text|word|words|summary|legend|message)$/;
/** What no person reads, whatever is in it. */
const NOT_READ =
  /^(className|style|id|aria-(labelledby|describedby|controls|live|current)|fontFamily\w*|fits|spec|key|href|to|path|src|d|viewBox|data-.*|rel|accept|autoComplete|inputMode|type|variant|size|role|name|lang|dir|color|gradient|queryKey)$/;
const MACROS = ["t", "msg", "plural", "select", "selectOrdinal", "defineMessage"];
const MACRO_ELEMENTS = new Set(["Trans", "Plural", "Select", "SelectOrdinal"]);
/** Calls whose texts are for programs or programmers. */
const FOR_PROGRAMS =
  /^(Error|RegExp|URL|Intl\..*|console\..*|[\s\S]*\.(includes|startsWith|endsWith|split|join|replace|replaceAll|setAttribute|getAttribute|querySelector|querySelectorAll|closest|matches|test|get|set|has|load|GET|POST|PUT|PATCH|DELETE|addEventListener|createElement))$/;
/** The same in every language: the program, marks, keys, file formats and what else is a name. */
const NAMES =
  /^(HLV Study|English|Deutsch|Enter|Escape|Esc|Tab|Space|Home|End|Backspace|Delete|Arrow\w+|Page(Up|Down)|Accept-Language|Idempotency-Key|If-Match|Content-Type|API|CSV|JSON|JSONL|XLSX|ORCID|SHA-256|DOI|TSV|SVG|PDF|PNG|ZIP|URL|BibTeX|Markdown|JSD|[A-Z])$/;

const LETTERS = /\p{L}{2,}/u;
/** Two words with a space between them, or one that is written as a name is: what sentences and buttons look like. */
const SENTENCE = /\p{L}{2,}[,;:]? +\p{L}+|^\p{Lu}\p{Ll}+[.…!?]?$/u;

/** A property, and no attribute, that says what a request does. */
const CODES = /^what$/;

/** In a comment on the same line: a code that looks like words. */
const CODE = "/* not words */";

/** Every string of a page that is neither in one of Lingui's macros nor for programs only. */
export function leftOut(source: string): LeftOut[] {
  const file = ts.createSourceFile(
    "any.tsx",
    source,
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TSX,
  );
  const found: LeftOut[] = [];
  const lines = source.split("\n");
  const macros = new Set([...MACROS, ...aliasesIn(file)]);
  const report = (node: ts.Node, text: string) => {
    const plain = text.replace(/\s+/g, " ").trim();
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    if (!NAMES.test(plain) && !lines[line]?.includes(CODE))
      found.push({ line: line + 1, text: plain });
  };

  function visit(node: ts.Node, isRead: boolean): void {
    if (isSilent(node, macros)) return;
    if (ts.isJsxElement(node)) {
      if (isOfAnotherLanguage(node.openingElement)) return;
      if (MACRO_ELEMENTS.has(node.openingElement.tagName.getText())) {
        visitInside(node);
        return;
      }
      visit(node.openingElement, isRead);
      for (const child of node.children) visit(child, true);
      return;
    }
    if (ts.isJsxFragment(node)) {
      for (const child of node.children) visit(child, true);
      return;
    }
    if (ts.isJsxText(node)) {
      if (LETTERS.test(node.text)) report(node, node.text);
      return;
    }
    if (ts.isJsxAttribute(node)) {
      const name = node.name.getText();
      if (!NOT_READ.test(name) && node.initializer) visit(node.initializer, READ.test(name));
      return;
    }
    if (ts.isPropertyAssignment(node)) {
      const name = node.name.getText().replace(/["']/g, "");
      if (!NOT_READ.test(name)) visit(node.initializer, READ.test(name) && !CODES.test(name));
      else if (name === "name") visit(node.initializer, false);
      return;
    }
    const text = textOf(node);
    if (text !== null) {
      if (isRead ? LETTERS.test(text) : SENTENCE.test(text)) report(node, text);
      if (ts.isTemplateExpression(node))
        for (const span of node.templateSpans) visit(span.expression, isRead);
      return;
    }
    const isDrawn = isRead && !ts.isCallExpression(node) && !ts.isArrowFunction(node);
    ts.forEachChild(node, (child) => visit(child, isDrawn));
  }
  /** The text of a macro is translated whole, but not the attributes of what stands in it. */
  function visitInside(node: ts.Node): void {
    if (ts.isJsxAttribute(node)) visit(node, false);
    else ts.forEachChild(node, visitInside);
  }
  visit(file, false);
  return found;
}

/** Macros that a file imports by another name, because a component has a `t` of its own: `t as say`. */
function aliasesIn(file: ts.SourceFile): string[] {
  return file.statements.flatMap((one) => {
    const names = ts.isImportDeclaration(one) && one.importClause?.namedBindings;
    if (!names || !ts.isNamedImports(names)) return [];
    return names.elements
      .filter(({ propertyName }) => propertyName && MACROS.includes(propertyName.text))
      .map(({ name }) => name.text);
  });
}

/** What holds no text for people: types, imports, macros, calls for programs, comparisons. */
function isSilent(node: ts.Node, macros: ReadonlySet<string>): boolean {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    return true;
  if (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) return true;
  if (ts.isCaseClause(node)) return false;
  if (ts.isTaggedTemplateExpression(node)) return macros.has(node.tag.getText());
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const called = node.expression.getText();
    return macros.has(called) || FOR_PROGRAMS.test(called) || called === "import";
  }
  if (ts.isJsxSelfClosingElement(node)) return MACRO_ELEMENTS.has(node.tagName.getText());
  if (ts.isLiteralExpression(node)) {
    const { parent } = node;
    return (
      (ts.isBinaryExpression(parent) && /^[=!]==?$/.test(parent.operatorToken.getText())) ||
      ts.isCaseClause(parent) ||
      ts.isElementAccessExpression(parent) ||
      (ts.isPropertyAssignment(parent) && parent.name === node)
    );
  }
  return false;
}

/** An element that names its language is not for translation: a study's text, or the server's English. */
function isOfAnotherLanguage(element: ts.JsxOpeningElement): boolean {
  return element.attributes.properties.some(
    (attribute) =>
      ts.isJsxAttribute(attribute) &&
      attribute.name.getText() === "lang" &&
      attribute.initializer !== undefined &&
      ts.isStringLiteral(attribute.initializer),
  );
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  // A letter before or after a value belongs to it: "5px" is no text.
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("·");
}
