import { t } from "@lingui/core/macro";
import { inDigits } from "~/languages/formats";
import classes from "./Progress.module.css";

type Props = { label: string; done: number; total: number; text?: string };

/** How far something is, as a bar and in words. */
export function Progress({ label, done, total, text }: Props) {
  const [here, all] = [inDigits(done), inDigits(total)];
  const words = text ?? t`${here} of ${all}`;
  const share = total > 0 ? Math.min(100, (100 * done) / total) : 0;
  return (
    <div className={classes.progress}>
      <div
        className={classes.bar}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={Math.min(done, total)}
        aria-valuetext={words}
      >
        <i style={{ inlineSize: `${share}%` }} />
      </div>
      <span className="small numbers">{words}</span>
    </div>
  );
}
