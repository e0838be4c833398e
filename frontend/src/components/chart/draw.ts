import embed from "vega-embed";
import { expressionInterpreter } from "vega-interpreter";

/** Draws under a policy without eval: expressions are interpreted, and styles come from our own file. */
export async function draw(element: HTMLElement, spec: object): Promise<() => void> {
  const { finalize } = await embed(element, spec as Parameters<typeof embed>[1], {
    ast: true,
    expr: expressionInterpreter,
    actions: false,
    defaultStyle: false,
    renderer: "svg",
    tooltip: { disableDefaultStyle: true },
    config: pageLook(getComputedStyle(document.documentElement)),
  });
  return finalize;
}

/** Ink, lines and letters as on the page, in light and dark. */
function pageLook(style: CSSStyleDeclaration) {
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const [ink, soft, line] = [colour("--ink"), colour("--soft"), colour("--line")];
  const font = getComputedStyle(document.body).fontFamily;
  const letters = { labelColor: soft, titleColor: ink, labelFontSize: 13, titleFontSize: 14 };
  return {
    background: "transparent",
    font,
    axis: { ...letters, domainColor: soft, tickColor: soft, gridColor: line, titleFontWeight: 500 },
    legend: letters,
    header: letters,
    title: { color: ink, fontSize: 15, fontWeight: 600, subtitleColor: soft },
    text: { color: ink },
    rule: { color: soft },
    view: { stroke: line },
  } as const;
}
