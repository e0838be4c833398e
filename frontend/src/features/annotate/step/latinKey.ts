/**
 * The key as named on a Latin keyboard: on an Arabic keyboard, the same key as A types "ش".
 * Named keys ("Enter") and Latin letters, wherever they are, stay as they are.
 */
export function latinKey({ key, code }: Pick<KeyboardEvent, "key" | "code">): string {
  if (key.length !== 1 || key.charCodeAt(0) < 128) return key;
  return /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(code)?.[1] ?? key;
}
