/** The key that does the same, for the eye only: screen readers have their own ways. */
export function KeyHint({ name }: { name: string | number }) {
  return (
    <span aria-hidden="true" className="keyhint">
      <kbd>{name}</kbd>
    </span>
  );
}
