import embed from "vega-embed";
import { expressionInterpreter } from "vega-interpreter";
import { inPageLook, type Scheme } from "./look";
import { scaleOf, tallest } from "./scale";

/**
 * Draws under a policy without eval: expressions are interpreted, and styles come from our own file. The
 * figure fills the width of its frame.
 */
export async function draw(
  element: HTMLElement,
  spec: object,
  scheme: Scheme,
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
  const [width, height] = ["width", "height"].map((side) => Number(svg?.getAttribute(side)));
  if (svg && width && height) {
    const fitting = scaleOf({ width, height }, { width: element.clientWidth, height: tallest() });
    svg.style.width = `${Math.floor(width * fitting)}px`;
  }
  // The chart is one image with one name; a screen reader finds the numbers in the table, not mark by mark.
  for (const part of element.querySelectorAll("svg, svg *")) {
    for (const name of part.getAttributeNames()) {
      if (name === "role" || name.startsWith("aria-")) part.removeAttribute(name);
    }
  }
  return finalize;
}
