import { i18n } from "@lingui/core";

/**
 * A share as text, as the page's language writes it: "35%", "35 %". Every value gets the same number of decimals,
 * or the decimals would tell the sides apart.
 */
export function percent(value: number): string {
  return new Intl.NumberFormat(i18n.locales, {
    style: "percent",
    maximumFractionDigits: 0,
  }).format(value);
}
