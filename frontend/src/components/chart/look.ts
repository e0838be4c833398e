type Node = { [key: string]: unknown };

/**
 * The server's specification in the page's look: its typeface, and no paper of its own behind it, so that
 * the page's colour schemes can do their work. Everything else stays as the analysis drew it.
 */
export function inPageLook(spec: object, font: string): Node {
  const stripped = withoutFonts(spec) as Node;
  const config = isNode(stripped.config) ? stripped.config : {};
  const { background: _paper, ...rest } = stripped;
  return { ...rest, config: { ...config, font, background: "transparent" } };
}

function withoutFonts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFonts);
  if (!isNode(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      // Rows of data are left alone: a field of theirs may be called anything.
      .map(([key, inner]) => [key, DATA.has(key) ? inner : withoutFonts(inner)] as const)
      .filter(([key]) => !FONTS.has(key)),
  );
}

const FONTS = new Set(["font", "labelFont", "titleFont", "subtitleFont"]);
const DATA = new Set(["datasets", "data"]);

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
