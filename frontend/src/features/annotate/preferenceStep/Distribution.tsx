import { Trans, useLingui } from "@lingui/react/macro";
import type { Bar } from "~/api/types";
import classes from "./Distribution.module.css";
import { percent } from "./percent";

type Props = {
  /** `same`: both sides at once, which are the same. */
  side: "a" | "b" | "same";
  bars: readonly Bar[];
  language: string;
  chosen: boolean;
  /** Left out where this cannot be preferred to anything. */
  onChoose?: () => void;
};

/**
 * One distribution as bars on the axis from 0 to 100 % that both sides share. The bars come sorted and
 * rounded from the server and are drawn as they come: the page knows nothing else about them.
 */
export function Distribution({ side, bars, language, chosen, onChoose }: Props) {
  const { t } = useLingui();
  const letters = side === "same" ? ["A", "B"] : [side.toUpperCase()];
  const [letter] = letters;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a larger target for the mouse; the four answers below are the controls
    <section
      className={classes.side}
      data-side={side}
      data-chosen={chosen || undefined}
      aria-label={side === "same" ? t`Distributions A and B` : t`Distribution ${letter}`}
      onClick={onChoose}
    >
      <div className={classes.inner}>
        <h2>
          {letters.map((one) => (
            <span key={one} className={classes.letter}>
              {one}
            </span>
          ))}
        </h2>
        {bars.length === 0 ? (
          <p className={classes.none}>
            <Trans>No answer has a share large enough to be shown.</Trans>
          </p>
        ) : (
          <ul className={classes.bars}>
            {bars.map((bar) => (
              <li key={bar.label}>
                <span className={classes.label} lang={language} dir="auto">
                  {bar.label}
                </span>
                <span className={classes.track} aria-hidden="true">
                  <i style={{ inlineSize: `${bar.value * 100}%` }} />
                </span>
                <span className={classes.value}>{percent(bar.value)}</span>
              </li>
            ))}
          </ul>
        )}
        <div className={classes.axis} aria-hidden="true">
          <span>0</span>
          <span>50</span>
          <span>{percent(1)}</span>
        </div>
      </div>
    </section>
  );
}
