type Node = { [key: string]: unknown };
export type Scheme = "light" | "dark";

/**
 * The server's specification in the page's style: its typeface, a transparent background, and light ink on
 * dark pages. Hues and the shades of maps stay, with the text on them. The data are left alone.
 */
export function inPageLook(spec: object, font: string, scheme: Scheme = "light"): Node {
  const stripped = adapted(spec, scheme === "dark") as Node;
  const config = isNode(stripped.config) ? stripped.config : {};
  const { background: _paper, ...rest } = stripped;
  return { ...rest, config: { ...config, font, background: "transparent" } };
}

function adapted(value: unknown, isDark: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => adapted(one, isDark));
  if (typeof value === "string") return isDark ? (ON_DARK.get(value) ?? value) : value;
  if (!isNode(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      // Rows of data are left alone, because their fields may have any name.
      .map(([key, inner]) => [key, DATA.has(key) ? inner : lined(key, inner, isDark)] as const)
      .filter(([key]) => !FONTS.has(key)),
  );
}

/** The thin lines between cells and bars have the background's colour. */
function lined(key: string, value: unknown, isDark: boolean): unknown {
  return isDark && key === "stroke" && value === "white" ? CARD : adapted(value, isDark);
}

/** Colours from metaeval/figures/style.py, and their counterparts on dark pages. */
const CARD = "#1a2028";
const ON_DARK = new Map([
  ["#1c2430", "#e4e8ee"], // INK
  ["#5b6675", "#a3aebc"], // SOFT
  ["#d9dee5", "#333c48"], // RULE
  ["#24508c", "#86ade3"], // LINE
  ["#a33b00", "#f2a36b"], // WARNING
  ["#eef1f5", "#252d38"], // GROUND
  ["#f1f3f6", "#8b95a3"], // EMPTY
  ["#dfe3e8", "#39424f"], // CHANCE
]);

const FONTS = new Set(["font", "labelFont", "titleFont", "subtitleFont"]);
const DATA = new Set(["datasets", "data"]);

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
