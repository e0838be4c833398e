import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMediaQuery } from "@mantine/hooks";
import type { Training } from "~/api/types";
import { Chart } from "~/components/chart/Chart";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Section } from "~/components/Section";
import { useCurves } from "./calls";
import classes from "./Trainings.module.css";

const FORMATS = [
  ["svg", "SVG"],
  ["pdf", "PDF"],
  ["png", "PNG"],
  ["json", "Vega-Lite"],
] as const;

/** The loss of each method by epoch, and the figure as files for a paper. */
export function LossCurves({ training }: { training: Training }) {
  const isNarrow = useMediaQuery("(max-width: 760px)", undefined, {
    getInitialValueInEffect: false,
  });
  const curves = useCurves(training, isNarrow ? "one" : "screen");
  const spec = curves.data as object | undefined;
  return (
    <Section title={t`Loss by epoch`}>
      {curves.error && (
        <ErrorNotice
          title={t`The figure could not be loaded`}
          error={curves.error}
          onRetry={() => void curves.refetch()}
        />
      )}
      {curves.isPending && <Loading what={t`Fetching the figure…`} />}
      {spec && (
        <Chart
          spec={spec}
          title={t`Loss by epoch`}
          description={descriptionOf(spec)}
          isInTables={false}
        />
      )}
      <p className={classes.files}>
        <Trans>Download this figure:</Trans>
        {FORMATS.map(([format, label]) => (
          <Download
            key={format}
            href={`/api/v1/trainings/${training.id}/curves/?format=${format}&size=two`}
          >
            {label}
          </Download>
        ))}
      </p>
    </Section>
  );
}

/** What the chart shows, for people who cannot see it; the server puts it into the specification. */
function descriptionOf(spec: object): string {
  return "description" in spec ? String(spec.description) : "";
}
