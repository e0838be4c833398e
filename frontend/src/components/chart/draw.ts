import embed from "vega-embed";
import { expressionInterpreter } from "vega-interpreter";
import { inPageLook, type Scheme } from "./look";

/** Letters of a figure are made for paper: on a page, which is read from further away, they are larger. */
const ENLARGED = 1.2;

/**
 * Draws under a policy without eval: expressions are interpreted, and styles come from our own file. The
 * figure is as wide as it was made, a little enlarged, and never wider than its place; or as wide as that.
 */
export async function draw(
  element: HTMLElement,
  spec: object,
  { scheme, fills }: { scheme: Scheme; fills: boolean },
): Promise<() => void> {
  const { fontFamily } = getComputedStyle(document.body);
  const { finalize } = await embed(
    element,
    inPageLook(spec, fontFamily, scheme) as Parameters<typeof embed>[1],
    {
      ast: true,
      expr: expressionInterpreter,
      actions: false,
      defaultStyle: false,
      renderer: "svg",
      tooltip: { disableDefaultStyle: true },
    },
  );
  const svg = element.querySelector("svg");
  const natural = Number(svg?.getAttribute("width"));
  if (svg && natural) svg.style.width = fills ? "100%" : `${Math.round(natural * ENLARGED)}px`;
  // The chart is one image with one name; a screen reader finds the numbers in the table, not mark by mark.
  for (const part of element.querySelectorAll("svg, svg *")) {
    for (const name of part.getAttributeNames()) {
      if (name === "role" || name.startsWith("aria-")) part.removeAttribute(name);
    }
  }
  return finalize;
}
