import { i18n } from "@lingui/core";
import { afterEach, describe, expect, test } from "vitest";
import { LANGUAGES } from "~/languages/languages";
import { percent } from "./percent";

describe("a share is a whole percentage, as its language writes it", () => {
  afterEach(() => i18n.activate("en", "en-GB"));

  test.each([
    ["en", "35%"],
    ["de", "35\u00a0%"],
    // The mark keeps the sign beside its number in a line that runs to the left.
    ["ar", "35\u200e%\u200e"],
  ])("%s", (code, written) => {
    const language = LANGUAGES.find((one) => one.code === code);
    i18n.load(code, {});
    i18n.activate(code, language?.formats);
    expect(percent(0.35)).toBe(written);
    expect(percent(1)).toMatch(/^\P{L}*100\P{L}*$/u);
  });
});
