import { AS_STORED } from "~/components/AsStored";
import classes from "./ResultView.module.css";

/** What an analysis answers: the headline, and after a line break how far to believe it. No "p = .05" is broken. */
export function Answer({ text, className }: { text: string; className?: string | undefined }) {
  const [headline, ...details] = text.replaceAll(" = ", "\u00a0=\u00a0").split("\n");
  return (
    <div className={className} data-answer {...AS_STORED}>
      <p className={classes.headline}>{headline}</p>
      {details.map((line) => (
        <p key={line} className={classes.details}>
          {line}
        </p>
      ))}
    </div>
  );
}
