import { useLingui } from "@lingui/react/macro";
import { useRef, useState } from "react";
import type { Assignment, Task } from "~/api/types";
import { percent } from "~/languages/formats";
import { Aligned } from "./Aligned";
import classes from "./Chart.module.css";
import { largest, rowsOf, type Side } from "./rows";
import { Separate } from "./Separate";
import { useFit } from "./useFit";

type Props = {
  study: Task["study"];
  comparison: NonNullable<Assignment["comparison"]>;
  /** The sides chosen in the answer so far. */
  chosen: readonly Side[];
  /** Omitted if neither can be preferred. A larger target for the mouse; the answers below are the controls. */
  onChoose?: ((side: Side) => void) | undefined;
};

/**
 * Both sides in one box, on identical axes from 0 to 100%. Lack of room affects both alike: rows get lower, small ones
 * fold, and the box scrolls under fixed heads.
 */
export function Chart({ study, comparison, chosen, onChoose }: Props) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const [isUnfolded, setUnfolded] = useState(false);
  const rows = rowsOf(comparison, study);
  const fit = useFit(box, { mayFold: study.task !== "ordinal", isUnfolded });
  const folded = rows.filter((row) => fit.folded > 0 && largest(row) <= fit.folded).length;
  const share = percent(fit.folded);
  const meaning = study.share_meaning || t`share of people who would choose it`;
  const drawn = { study, rows, folded: fit.folded, meaning, chosen, onChoose };
  return (
    <section
      ref={box}
      className={classes.box}
      aria-label={t`Comparison of sides A and B`}
      data-layout={study.layout}
      data-density={fit.density}
      data-folds={folded > 0 || undefined}
      data-unfolded={(isUnfolded && fit.scrolls) || undefined}
      data-scrolls={fit.scrolls || undefined}
      // What scrolls must be reachable by keyboard.
      tabIndex={fit.scrolls ? 0 : undefined}
    >
      {study.layout === "aligned" ? (
        <Aligned {...drawn} />
      ) : (
        <Separate {...drawn} identical={comparison.identical} />
      )}
      {/* Always rendered, so that its size can be measured; the styles show it if rows are folded. */}
      <button
        type="button"
        className={classes.more}
        aria-expanded={isUnfolded}
        onClick={() => setUnfolded(!isUnfolded)}
      >
        {isUnfolded ? t`Show fewer` : t`${folded} more, none above ${share}`}
      </button>
    </section>
  );
}
