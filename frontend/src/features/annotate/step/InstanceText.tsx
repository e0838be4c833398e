import { useLingui } from "@lingui/react/macro";
import type { RefObject } from "react";
import type { Assignment } from "~/api/types";
import classes from "./InstanceText.module.css";

type Props = {
  assignment: Assignment;
  /** Whether the text is to be read now, so that it gets focus and scrolls by keyboard. */
  focusRef?: RefObject<HTMLElement | null>;
};

/** The text to be judged, as plain text: whatever looks like markup in it stays as it is. */
export function InstanceText({ assignment, focusRef }: Props) {
  const { t } = useLingui();
  return (
    <section
      className={classes.sheet}
      aria-label={t`Text`}
      tabIndex={focusRef ? 0 : -1}
      ref={focusRef}
    >
      <div lang={assignment.language || undefined} dir={assignment.direction}>
        {assignment.segments.map((segment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the segments of one text never change places
          <div key={index} className={classes.segment}>
            {segment.name && <h2>{segment.name}</h2>}
            <div className={classes.text}>{segment.text}</div>
          </div>
        ))}
      </div>
    </section>
  );
}
