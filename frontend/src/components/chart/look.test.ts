import { expect, test } from "vitest";
import { inPageLook } from "./look";

test("a chart takes the page's typeface and leaves its data alone", () => {
  const spec = {
    background: "white",
    config: { font: "DejaVu Sans", axis: { labelFont: "DejaVu Sans", labelFontSize: 11 } },
    layer: [{ mark: { type: "text", font: "Serif" }, data: { values: [{ font: "a value" }] } }],
  };
  expect(inPageLook(spec, "Source Sans 3")).toEqual({
    config: {
      font: "Source Sans 3",
      background: "transparent",
      axis: { labelFontSize: 11 },
    },
    layer: [{ mark: { type: "text" }, data: { values: [{ font: "a value" }] } }],
  });
});
