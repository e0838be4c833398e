/** The key that does the same, shown only visually: screen readers have their own keys. */
export function KeyHint({ name }: { name: string | number }) {
  return (
    <span aria-hidden="true" className="keyhint">
      <kbd>{name}</kbd>
    </span>
  );
}
