import table from "~/components/lists/Table.module.css";
import classes from "./ResultTableView.module.css";
import {
  cellInWords,
  groupsOf,
  intervalInWords,
  type ResultTable,
  type TableColumn,
  withIntervals,
} from "./result";

type Props = {
  title: string;
  columns: readonly TableColumn[];
  rows: readonly ResultTable["rows"][number][];
};

/** The analysis's own table, its columns grouped as the analysis groups them. */
export function ResultTableView({ title, columns, rows }: Props) {
  const shown = withIntervals(columns);
  const groups = groupsOf(shown);
  const isNumeric = (key: string) => rows.some((row) => typeof row[key] === "number");
  const used = shown.filter(({ key }) => key !== "notes" || rows.some((row) => row[key]));
  const left = shown.length - used.length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={table.scroll} aria-label={title} tabIndex={0}>
      <table className={`${table.table} ${classes.result}`}>
        <caption data-hidden>{title}</caption>
        <thead>
          {groups.some(({ group }) => group !== "") && (
            <tr className={classes.groups}>
              {groups.slice(0, groups.length - left).map(({ group, span }, index) =>
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
            {used.map((column) => (
              <th key={column.key} scope="col" data-numeric={isNumeric(column.key) || undefined}>
                {shortTitle(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows come in the analysis's order
            <tr key={index}>
              {used.map(({ key, kind, high }, place) =>
                place === 0 ? (
                  <th key={key} scope="row">
                    {cellInWords(row[key], kind)}
                  </th>
                ) : (
                  <td
                    key={key}
                    data-numeric={isNumeric(key) || undefined}
                    data-notes={key === "notes" || undefined}
                  >
                    {high
                      ? intervalInWords(row[key], row[high], kind)
                      : cellInWords(row[key], kind)}
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

/** Under its group's heading a column need not repeat the name of the group. */
function shortTitle({ title, group }: TableColumn): string {
  return title === group ? "value" : title;
}
