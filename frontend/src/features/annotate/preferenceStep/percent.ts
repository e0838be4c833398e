/** A share as text. Every value gets the same number of decimals, or the decimals would tell the sides apart. */
export function percent(value: number): string {
  return `${Math.round(value * 100)} %`;
}
