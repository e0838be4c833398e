import { useLingui } from "@lingui/react/macro";
import { useMediaQuery } from "@mantine/hooks";
import { Chart } from "~/components/chart/Chart";
import { ErrorNotice } from "~/components/ErrorNotice";
import { usePowerFigure } from "./calls";

type Props = {
  slug: string;
  tried: { instances_per_system: number; experts_per_comparison: number };
};

/** The chance that the study finds its answer, by number of texts. The table below has the numbers. */
export function PowerPicture({ slug, tried }: Props) {
  const { t } = useLingui();
  const isNarrow = useMediaQuery("(max-width: 760px)", undefined, {
    getInitialValueInEffect: false,
  });
  const figure = usePowerFigure(slug, tried, isNarrow ? "one" : "screen");
  if (figure.error)
    return <ErrorNotice title={t`The figure could not be loaded`} error={figure.error} />;
  if (!figure.data) return null;
  return <Chart spec={figure.data} title={t`Power by number of texts`} />;
}
