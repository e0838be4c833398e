import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { Link } from "react-router";
import type { RunComparison } from "~/api/types";
import folds from "~/components/Folds.module.css";
import { Table } from "~/components/lists/Table";
import table from "~/components/lists/Table.module.css";
import { Section } from "~/components/Section";
import { moment, readable } from "~/components/words";
import { isolated } from "~/languages/bidi";
import { inARow, listed } from "~/languages/formats";
import { Answer } from "../Answer";
import { Folded } from "../FigureView";
import shared from "../ResultView.module.css";
import { addressOf } from "../subject";
import classes from "./Comparing.module.css";

/** What changed between two runs: in a sentence, in the answers, in the settings, and in numbers. */
export function Comparison({ comparison }: { comparison: RunComparison }) {
  const { first, second, asked, counts, versions, tables } = comparison;
  const [main, ...others] = tables;
  const changed = others.filter((one) => one.changed > 0);
  return (
    <>
      <p className={shared.answer}>{inSentences(comparison)}</p>
      <div className={classes.answers}>
        {[first, second].map((run) => (
          <section key={run.id} aria-label={nameOf(run)} className={classes.one}>
            <h2>
              <Link to={addressOf(run)}>{nameOf(run)}</Link>
            </h2>
            {run.answer && <Answer text={run.answer} />}
          </section>
        ))}
      </div>
      <Section title={t`Differences`}>
        <Changes comparison={comparison} rows={asked} what={t`Different settings`} />
        <p>
          {comparison.is_same_data ? t`Both use the same data.` : t`The data changed in between.`}
        </p>
        <Changes
          comparison={comparison}
          rows={counts.map((one) => ({ ...one, name: readable(one.name) }))}
          what={t`Different counts`}
        />
        <Changes comparison={comparison} rows={versions} what={t`Different versions`} />
      </Section>
      {main && (
        <Section title={main.title} isStored>
          <Numbers comparison={comparison} table={main} />
        </Section>
      )}
      {changed.length > 0 && (
        <div className={folds.folds}>
          {changed.map((one) => (
            <Folded key={one.name} title={withChanges(one)} className={folds.fold}>
              {() => <Numbers comparison={comparison} table={one} />}
            </Folded>
          ))}
        </div>
      )}
    </>
  );
}

type Compared = RunComparison["tables"][number];

function withChanges({ title, changed }: Compared): string {
  const stored = isolated(title);
  return plural(changed, { one: `${stored}: # cell changed`, other: `${stored}: # cells changed` });
}

type OfBoth = { comparison: RunComparison };

/** Whether anything changed, and possible reasons. */
export function inSentences(comparison: RunComparison): string {
  const { compared, changed, asked, is_same_data, versions } = comparison;
  if (changed === 0)
    return plural(compared, {
      one: "All numbers are the same: # table cell was compared.",
      other: "All numbers are the same: # table cells were compared.",
    });
  const also = listed([
    ...(asked.length > 0 ? [t`the settings`] : []),
    ...(is_same_data ? [] : [t`the data`]),
    ...(versions.length > 0 ? [t`the versions`] : []),
  ]);
  return [
    plural(changed, { one: "# table cell differs.", other: "# table cells differ." }),
    also && t`These changed in between: ${also}.`,
    comparison.first.answer === comparison.second.answer && t`Both answers read the same.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function nameOf(run: RunComparison["first"]): string {
  return inARow([run.number && t`Result ${run.number}`, moment(run.finished_at)]) || t`Result`;
}

/** A column's heading, without the time of day if a number identifies the run. */
function shortNameOf(run: RunComparison["first"]): string {
  return run.number ? t`Result ${run.number}` : moment(run.finished_at);
}

type ChangesProps = OfBoth & { rows: RunComparison["asked"]; what: string };

function Changes({ comparison, rows, what }: ChangesProps) {
  if (rows.length === 0) return null;
  return (
    <Table
      caption={what}
      showCaption
      rows={rows}
      keyOf={(row) => row.name}
      columns={[
        { name: t`What`, heads: true, cell: (row) => row.name },
        { name: shortNameOf(comparison.first), cell: (row) => row.first },
        { name: shortNameOf(comparison.second), cell: (row) => row.second },
      ]}
    />
  );
}

const SHOWN_ROWS = 12;

/** The rows that both tables have: for every number the first, the second, and the difference. */
function Numbers({ comparison, table: compared }: OfBoth & { table: Compared }) {
  const [all, setAll] = useState(false);
  const [whole, setWhole] = useState(false);
  const differing = compared.columns
    .map((_, at) => at)
    .filter((at) => compared.rows.some((row) => row.cells[at]?.differs));
  const shown = whole || differing.length === 0 ? compared.columns.map((_, at) => at) : differing;
  const rows = all ? compared.rows : compared.rows.slice(0, SHOWN_ROWS);
  const heads = [shortNameOf(comparison.first), shortNameOf(comparison.second), t`Difference`];
  const isSame = compared.changed === 0;
  return (
    <>
      {isSame && (
        <p>
          <Trans>All numbers in this table are the same.</Trans>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section dir="ltr" className={table.scroll} aria-label={compared.title} tabIndex={0}>
        <table className={table.table}>
          <caption data-hidden lang="en">
            {compared.title}
          </caption>
          <thead>
            {!isSame && (
              <tr className={classes.groups}>
                {compared.naming.map((title) => (
                  <td key={title} />
                ))}
                {shown.map((at) => (
                  <th key={at} scope="colgroup" colSpan={3} lang="en">
                    {compared.columns[at]}
                  </th>
                ))}
              </tr>
            )}
            <tr>
              {compared.naming.map((title) => (
                <th key={title} scope="col" lang="en">
                  {title}
                </th>
              ))}
              {shown.map((at) =>
                isSame ? (
                  <th key={at} scope="col" data-numeric lang="en">
                    {compared.columns[at]}
                  </th>
                ) : (
                  heads.map((head) => (
                    <th key={`${at} ${head}`} scope="col" data-numeric>
                      {head}
                    </th>
                  ))
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name.join("\n")}>
                {compared.naming.map((title, place) =>
                  place === 0 ? (
                    <th key={title} scope="row">
                      {row.name[0]}
                    </th>
                  ) : (
                    <td key={title}>{row.name[place]}</td>
                  ),
                )}
                {shown.map((at) => {
                  const cell = row.cells[at];
                  return isSame ? (
                    <td key={at} data-numeric>
                      {cell?.second}
                    </td>
                  ) : (
                    [
                      cell?.first || "–",
                      cell?.second || "–",
                      cell?.differs
                        ? cell.difference
                        : t({ message: "same", context: "a number in two results" }),
                    ].map((text, place) => (
                      <td
                        key={`${at} ${heads[place]}`}
                        data-numeric
                        data-same={(place === 2 && !cell?.differs) || undefined}
                        className={classes.cell}
                      >
                        {text}
                      </td>
                    ))
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div className={shared.under}>
        {compared.rows.length > SHOWN_ROWS && (
          <button
            type="button"
            className="linklike"
            aria-pressed={all}
            onClick={() => setAll(!all)}
          >
            {all
              ? plural(SHOWN_ROWS, {
                  one: "Show only the first row",
                  other: "Show only the first # rows",
                })
              : plural(compared.rows.length, { one: "Show # row", other: "Show all # rows" })}
          </button>
        )}
        {differing.length > 0 && differing.length < compared.columns.length && (
          <button
            type="button"
            className="linklike"
            aria-pressed={whole}
            onClick={() => setWhole(!whole)}
          >
            {whole
              ? t`Show only the columns that changed`
              : t`Also show the columns that are the same`}
          </button>
        )}
      </div>
    </>
  );
}
