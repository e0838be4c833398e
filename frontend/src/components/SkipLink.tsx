export function SkipLink() {
  return (
    <a className="skip" href="#main">
      Skip to the main content
    </a>
  );
}
