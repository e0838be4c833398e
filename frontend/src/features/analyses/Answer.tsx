import { AS_STORED } from "~/components/AsStored";
import classes from "~/components/Headline.module.css";

/** An analysis's answer: the headline and, after a line break, how reliable it is. "p = .05" is never broken. */
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
