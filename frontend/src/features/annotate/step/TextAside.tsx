import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import type { Assignment, Label } from "~/api/types";
import { InstanceText } from "./InstanceText";
import classes from "./TextAside.module.css";

/** Up to this many chosen labels leave room for the text. */
const FEW = 6;

type Props = {
  assignment: Assignment;
  /** What the expert chose in step 1; omitted if that no longer matters. */
  mine?: readonly Label[];
  language: string;
};

/**
 * The text from step 1, beside the question, scrolling within itself. If there is no room beside it, its beginning is
 * above the question, and one tap shows all of it.
 */
export function TextAside({ assignment, mine, language }: Props) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);

  useEffect(() => {
    if (!isOpen) return;
    const close = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      setOpen(false);
    };
    // Before the page's own Escape, which may leave the page.
    window.addEventListener("keydown", close, { capture: true });
    return () => window.removeEventListener("keydown", close, { capture: true });
  }, [isOpen]);

  return (
    <div className={classes.aside} data-open={isOpen || undefined}>
      <section
        className={classes.scrolled}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard
        tabIndex={0}
        aria-label={t`The text and what you chose`}
      >
        <InstanceText assignment={assignment} />
        {mine && (
          <section
            aria-labelledby="mine"
            className={classes.mine}
            data-few={mine.length <= FEW || undefined}
          >
            <h2 id="mine">
              <Trans>You chose</Trans>
            </h2>
            {mine.length === 0 ? (
              <p className="soft">
                <Trans>Nothing</Trans>
              </p>
            ) : (
              <ul lang={language}>
                {mine.map((label) => (
                  <li key={label.position} dir="auto">
                    {label.name}
                  </li>
                ))}
              </ul>
            )}
          </section>
        )}
      </section>
      <button
        type="button"
        className={`linklike ${classes.open}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? <Trans>Back to the question</Trans> : <Trans>Show the whole text</Trans>}
      </button>
    </div>
  );
}
