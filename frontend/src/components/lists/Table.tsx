import type { ReactNode } from "react";
import classes from "./Table.module.css";

export type Column<Row> = {
  name: string;
  /** Numbers are right-aligned, so that their digits line up. */
  numeric?: boolean;
  /** The cell that names its row. */
  heads?: boolean;
  cell: (row: Row, place: number) => ReactNode;
};

type Props<Row> = {
  caption: string;
  /** Whether the caption is shown, or only read out because there is a heading right above. */
  showCaption?: boolean;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => string | number;
  empty?: string;
};

/** A plain table that scrolls sideways within itself if the page is narrow. */
export function Table<Row>({ caption, showCaption, columns, rows, keyOf, empty }: Props<Row>) {
  if (rows.length === 0 && empty) return <p className="soft">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.scroll} aria-label={caption} tabIndex={0}>
      <table className={classes.table}>
        <caption data-hidden={!showCaption || undefined}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" data-numeric={column.numeric || undefined}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map((column) =>
                column.heads ? (
                  <th key={column.name} scope="row">
                    {column.cell(row, index)}
                  </th>
                ) : (
                  <td key={column.name} data-numeric={column.numeric || undefined}>
                    {column.cell(row, index)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
