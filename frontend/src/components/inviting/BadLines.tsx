import { Trans } from "@lingui/react/macro";
import { inDigits } from "~/languages/formats";
import { badLines } from "./whom";

/** What is wrong with each bad line. */
export function BadLines({ error }: { error: unknown }) {
  const lines = badLines(error);
  if (lines.length === 0) return null;
  return (
    <ul>
      {lines.map((one) => (
        <li key={`${one.line}-${one.value}`}>
          <Trans>Line {inDigits(one.line)}:</Trans> <bdi>{one.value}</bdi> {one.reason}
        </li>
      ))}
    </ul>
  );
}
