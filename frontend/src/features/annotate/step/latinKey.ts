/**
 * The key as a Latin keyboard would name it: who writes Arabic presses the same place for A, and gets "ش".
 * Keys that have a name of their own ("Enter"), and Latin letters wherever they lie, stay what they are.
 */
export function latinKey({ key, code }: Pick<KeyboardEvent, "key" | "code">): string {
  if (key.length !== 1 || key.charCodeAt(0) < 128) return key;
  return /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(code)?.[1] ?? key;
}
