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
  const box = useRef<HTMLDivElement>(null);
  const [overflows, setOverflows] = useState(false);
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && folded) setOverflows(element.scrollHeight > element.clientHeight + 4);
  }, [folded]);
  return (
    <section className={classes.sheet} aria-label="Text" tabIndex={-1} ref={focusRef}>
      <div
        ref={box}
        className={
          folded && !open ? `${classes.folded} ${overflows ? classes.fades : ""}` : undefined
        }
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
      {overflows && (
        <button
          type="button"
          className="linklike small"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? "Show less of the text" : "Show the whole text"}
        </button>
      )}
    </section>
  );
}
