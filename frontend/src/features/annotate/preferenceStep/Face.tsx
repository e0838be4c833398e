/** From a doubtful to a confident mouth, in the order of the certainty words. */
const MOUTHS = [
  "M10 23q6-7 12 0",
  "M11 22q5-3 10 0",
  "M11 21.5h10",
  "M11 20q5 4 10 0",
  "M10 19q6 8 12 0",
];

export function Face({ mood }: { mood: number }) {
  return (
    <svg
      viewBox="0 0 32 32"
      width="30"
      height="30"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="16" cy="16" r="13" />
      <circle cx="11.5" cy="13" r=".8" />
      <circle cx="20.5" cy="13" r=".8" />
      <path d={MOUTHS[mood]} />
    </svg>
  );
}
