import { Chart } from "~/components/chart/Chart";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { readable } from "~/components/words";
import { useFigure } from "./calls";

/** One figure of a run, drawn from the server's specification. */
export function FigureView({ id, name }: { id: string; name: string }) {
  const figure = useFigure(id, name);
  if (figure.error) {
    return (
      <ErrorNotice
        title="The figure cannot be shown"
        error={figure.error}
        onRetry={() => void figure.refetch()}
      />
    );
  }
  if (!figure.data) return <Loading what="Fetching the figure…" />;
  return <Chart spec={figure.data as object} title={readable(name)} />;
}
