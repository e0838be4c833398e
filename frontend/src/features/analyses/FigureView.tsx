import { NativeSelect } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { Chart } from "~/components/chart/Chart";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { readable } from "~/components/words";
import { useFigure } from "./calls";
import classes from "./FigureView.module.css";

/** The figures of a run, one at a time: the overview first, the others by choice. */
export function FigureView({ id, names }: { id: string; names: readonly string[] }) {
  const [name, setName] = useState(names[0] ?? "");
  // On a phone, the figure as for one column of a paper: as wide as a hand, nothing to scroll.
  const isNarrow = useMediaQuery("(max-width: 760px)", undefined, {
    getInitialValueInEffect: false,
  });
  const figure = useFigure(id, name, isNarrow ? "one" : "screen");
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
      {figure.data && (
        <Chart spec={figure.data as object} title={nameInWords(name)} fills={isNarrow === true} />
      )}
      <FigureDownloads href={`/api/v1/runs/${id}/figures/${name}/`} />
    </div>
  );
}

const SIZES = [
  { value: "two", label: "two columns (175 mm)" },
  { value: "one", label: "one column (84 mm)" },
  { value: "screen", label: "as on this page" },
];

/** The figure as a file, in the size of a paper's column or page. */
function FigureDownloads({ href }: { href: string }) {
  const [size, setSize] = useState("two");
  return (
    <div className={classes.downloads}>
      <NativeSelect
        label="Size of the download"
        value={size}
        onChange={(event) => setSize(event.currentTarget.value)}
        data={SIZES}
      />
      {["svg", "pdf", "png", "json"].map((format) => (
        <Download key={format} href={`${href}?format=${format}&size=${size}`}>
          {format === "json" ? "Vega-Lite" : format.toUpperCase()}
        </Download>
      ))}
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
