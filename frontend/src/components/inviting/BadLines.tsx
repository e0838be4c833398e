import { badLines } from "./whom";

/** What is wrong with which line. */
export function BadLines({ error }: { error: unknown }) {
  const lines = badLines(error);
  if (lines.length === 0) return null;
  return (
    <ul>
      {lines.map((one) => (
        <li key={`${one.line}-${one.value}`}>
          Line {one.line}: <bdi>{one.value}</bdi> {one.reason}
        </li>
      ))}
    </ul>
  );
}
