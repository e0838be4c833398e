import { t } from "@lingui/core/macro";
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { AS_STORED } from "~/components/AsStored";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./Chart.module.css";
import { tallest } from "./scale";

type Props = {
  spec: object;
  title: string;
  /** What it shows, for people who cannot see it. */
  description?: string;
  /** Whether a table on the page has the same numbers. */
  isInTables?: boolean;
};

/** If fewer pixels than this would be hidden, the whole figure is shown. */
const SPARE = 60;

/** A chart from the server's specification. Its library is fetched only when a chart is shown. */
export function Chart({ spec, title, description = "", isInTables = true }: Props) {
  const scheme = useComputedColorScheme("light");
  const holder = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<unknown>(null);
  const [drawn, setDrawn] = useState(false);
  const [isTall, setTall] = useState(false);
  const [whole, setWhole] = useState(false);
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt draws again
  useEffect(() => {
    let gone = false;
    let clean = () => {};
    setError(null);
    import("./draw")
      .then(({ draw }) => (holder.current && !gone ? draw(holder.current, spec, scheme) : null))
      .then((finish) => {
        if (gone) return finish?.();
        if (finish) clean = finish;
        setTall((holder.current?.scrollHeight ?? 0) > tallest() + SPARE);
        setDrawn(true);
      })
      .catch((caught: unknown) => !gone && setError(caught));
    return () => {
      gone = true;
      clean();
    };
  }, [spec, attempt, scheme]);

  if (error) {
    return (
      <ErrorNotice
        title={t`The chart could not be drawn`}
        error={error}
        onRetry={() => setAttempt(attempt + 1)}
      />
    );
  }
  return (
    <>
      <section
        {...AS_STORED}
        className={classes.figure}
        aria-label={title}
        aria-busy={!drawn}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide chart scrolls, and must do so by keyboard too
        tabIndex={0}
        data-cut={(isTall && !whole) || undefined}
        style={isTall && !whole ? { maxHeight: tallest() } : undefined}
      >
        <div
          ref={holder}
          className={classes.chart}
          role="img"
          aria-label={[
            `${title}.`,
            description,
            isInTables && "The numbers are in the tables on this page.",
          ]
            .filter(Boolean)
            .join(" ")}
        />
      </section>
      {isTall && (
        <button
          type="button"
          className={`linklike ${classes.more}`}
          aria-pressed={whole}
          onClick={() => setWhole(!whole)}
        >
          {whole ? t`Show less of the figure` : t`Show the whole figure`}
        </button>
      )}
    </>
  );
}
