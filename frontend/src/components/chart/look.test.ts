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

test("on a dark page ink is light, and hues, data and letters on hues stay", () => {
  const spec = {
    config: { axis: { labelColor: "#5b6675" } },
    layer: [
      { mark: { type: "rect", stroke: "white", color: "#0072b2" } },
      { mark: { type: "text", color: "white" }, data: { values: [{ name: "#1c2430" }] } },
      { mark: { type: "text", color: "#1c2430" } },
    ],
  };
  expect(inPageLook(spec, "Source Sans 3", "dark")).toEqual({
    config: { font: "Source Sans 3", background: "transparent", axis: { labelColor: "#a3aebc" } },
    layer: [
      { mark: { type: "rect", stroke: "#1a2028", color: "#0072b2" } },
      { mark: { type: "text", color: "white" }, data: { values: [{ name: "#1c2430" }] } },
      { mark: { type: "text", color: "#e4e8ee" } },
    ],
  });
});
