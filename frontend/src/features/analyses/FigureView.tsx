import { t } from "@lingui/core/macro";
import { NativeSelect } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useId, useState } from "react";
import type { Run } from "~/api/types";
import { AS_STORED } from "~/components/AsStored";
import { Chart } from "~/components/chart/Chart";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { useFigure } from "./calls";
import classes from "./FigureView.module.css";
import { type Figures, variantInWords } from "./result";

type Props = {
  run: Run;
  figures: Figures;
};

/** A figure in its frame: first the overview, then its variants by choice. */
export function FigureView({ run, figures }: Props) {
  const { family, title, names } = figures;
  const [name, setName] = useState(names[0] ?? family);
  // On a phone, the figure is shown as for one column of a paper, narrow enough not to scroll.
  const isNarrow = useMediaQuery("(max-width: 760px)", undefined, {
    getInitialValueInEffect: false,
  });
  const figure = useFigure(run.id, name, isNarrow ? "one" : "screen");
  return (
    <div className={classes.figures}>
      {figure.error && (
        <ErrorNotice
          title={t`The figure could not be loaded`}
          error={figure.error}
          onRetry={() => void figure.refetch()}
        />
      )}
      {figure.isPending && <Loading what={t`Fetching the figure…`} />}
      {figure.data && (
        <Chart
          spec={figure.data as object}
          title={names.length > 1 ? `${title}: ${variantInWords(name, run.figure_titles)}` : title}
          description={descriptionOf(figure.data as object)}
        />
      )}
      {names.length > 1 && (
        <NativeSelect
          label={t`Show in this figure`}
          className={classes.which}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data={names.map((one) => ({ value: one, label: variantInWords(one, run.figure_titles) }))}
        />
      )}
    </div>
  );
}

/** What the chart shows, for people who cannot see it; the server puts it into the specification. */
function descriptionOf(spec: object): string {
  return "description" in spec ? String(spec.description) : "";
}

type FoldedProps = {
  title: string;
  /** As a section's title. */
  isStored?: boolean;
  className: string | undefined;
  children: () => ReactNode;
};

/** Content that is rendered and fetched only when somebody opens it. */
export function Folded({ title, isStored = false, className, children }: FoldedProps) {
  const [opened, setOpened] = useState(false);
  const id = useId();
  return (
    <details
      className={className}
      onToggle={(event) => event.currentTarget.open && setOpened(true)}
      aria-labelledby={id}
    >
      <summary id={id} {...(isStored && { lang: AS_STORED.lang })}>
        {isStored ? <bdi>{title}</bdi> : title}
      </summary>
      {opened && children()}
    </details>
  );
}
