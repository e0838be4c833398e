import { AS_STORED } from "~/components/AsStored";
import table from "~/components/lists/Table.module.css";
import classes from "./ResultTableView.module.css";
import { groupsOf, type PrintedColumn, printedCell, type ResultTable } from "./result";

type Props = {
  title: string;
  columns: readonly PrintedColumn[];
  rows: readonly ResultTable["rows"][number][];
};

/** The analysis's own table, with its columns grouped as in the analysis. */
export function ResultTableView({ title, columns, rows }: Props) {
  const groups = groupsOf(columns);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section {...AS_STORED} className={table.scroll} aria-label={title} tabIndex={0}>
      <table className={`${table.table} ${classes.result}`}>
        <caption data-hidden>{title}</caption>
        <thead>
          {groups.some(({ group }) => group !== "") && (
            <tr className={classes.groups}>
              {groups.map(({ group, span }, index) =>
                group === "" ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: groups never change places
                  <td key={index} />
                ) : (
                  <th key={group} scope="colgroup" colSpan={span}>
                    {group}
                  </th>
                ),
              )}
            </tr>
          )}
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" data-numeric={column.is_numeric || undefined}>
                {shortTitle(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows come in the analysis's order
            <tr key={index}>
              {columns.map((column, place) =>
                place === 0 ? (
                  <th key={column.key} scope="row">
                    {printedCell(row, column)}
                  </th>
                ) : (
                  <td
                    key={column.key}
                    data-numeric={column.is_numeric || undefined}
                    data-notes={column.key === "notes" || undefined}
                  >
                    {printedCell(row, column)}
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

/** Under its group's heading, a column need not repeat the group's name. */
function shortTitle({ title, group }: PrintedColumn): string {
  return title === group ? "value" : title;
}
