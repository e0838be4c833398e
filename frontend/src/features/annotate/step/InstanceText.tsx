import { useLingui } from "@lingui/react/macro";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { Assignment } from "~/api/types";
import classes from "./InstanceText.module.css";

type Props = {
  assignment: Assignment;
  /** On step 2 the text was read before: a long one is folded, so that the question is in reach. */
  folded?: boolean;
  focusRef?: RefObject<HTMLElement | null>;
};

/** The text to be judged, as plain text: whatever looks like markup in it stays as it is. */
export function InstanceText({ assignment, folded = false, focusRef }: Props) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const [fold, setFold] = useState<"measuring" | "folded" | "open" | "whole">(
    folded ? "measuring" : "whole",
  );
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || fold !== "measuring") return;
    // Hiding a line or two would save nothing but a click.
    setFold(element.scrollHeight > 1.35 * element.clientHeight ? "folded" : "whole");
  }, [fold]);
  return (
    <section className={classes.sheet} aria-label={t`Text`} tabIndex={-1} ref={focusRef}>
      <div
        ref={box}
        data-fold={fold}
        className={classes.body}
        lang={assignment.language || undefined}
        dir={assignment.direction}
      >
        {assignment.segments.map((segment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the segments of one text never change places
          <div key={index} className={classes.segment}>
            {segment.name && <h2>{segment.name}</h2>}
            <div className={classes.text}>{segment.text}</div>
          </div>
        ))}
      </div>
      {(fold === "folded" || fold === "open") && (
        <button
          type="button"
          className="linklike small"
          aria-expanded={fold === "open"}
          onClick={() => setFold(fold === "open" ? "folded" : "open")}
        >
          {fold === "open" ? t`Show less of the text` : t`Show the whole text`}
        </button>
      )}
    </section>
  );
}
