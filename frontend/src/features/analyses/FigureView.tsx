import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { Chart } from "~/components/chart/Chart";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { readable } from "~/components/words";
import { useFigure } from "./calls";
import classes from "./FigureView.module.css";

/** The figures of a run, one at a time: the overview first, the others by choice. */
export function FigureView({ id, names }: { id: string; names: readonly string[] }) {
  const [name, setName] = useState(names[0] ?? "");
  const figure = useFigure(id, name);
  return (
    <div className={classes.figures}>
      {names.length > 1 && (
        <NativeSelect
          label="Figure"
          className={classes.which}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data={names.map((one) => ({ value: one, label: nameInWords(one) }))}
        />
      )}
      {figure.error && (
        <ErrorNotice
          title="The figure cannot be shown"
          error={figure.error}
          onRetry={() => void figure.refetch()}
        />
      )}
      {figure.isPending && <Loading what="Fetching the figure…" />}
      {figure.data && <Chart spec={figure.data as object} title={nameInWords(name)} />}
    </div>
  );
}

/** "scatter-po_jsd" is the variant po_jsd of the figure scatter; "scatter" alone is the overview. */
function nameInWords(name: string): string {
  const [family = "", ...variant] = name.split("-");
  return variant.length > 0
    ? `${readable(family)}: ${variant.join("-").replaceAll("_", " ")}`
    : `${readable(family)}: overview`;
}
