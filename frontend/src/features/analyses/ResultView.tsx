import { plural, t } from "@lingui/core/macro";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import type { Result, Run } from "~/api/types";
import { AS_STORED, AsStored } from "~/components/AsStored";
import folds from "~/components/Folds.module.css";
import headline from "~/components/Headline.module.css";
import { Table } from "~/components/lists/Table";
import { Note } from "~/components/Note";
import { Facts, Section } from "~/components/Section";
import { readable } from "~/components/words";
import { isolated } from "~/languages/bidi";
import { inDigits } from "~/languages/formats";
import { Answer } from "./Answer";
import { FigureView, Folded } from "./FigureView";
import { Provenance } from "./Provenance";
import { ResultTableView } from "./ResultTableView";
import classes from "./ResultView.module.css";
import {
  familiesOf,
  numberInWords,
  type PrintedColumn,
  type ResultTable,
  subjectOf,
} from "./result";

/** The result: the answer, the main figure and the main table in view, everything else one click away. */
export function ResultView({ run, result }: { run: Run; result: Result }) {
  const [main, ...others] = familiesOf(run.figures, run.figure_titles);
  const [table, ...tables] = result.tables;
  return (
    <>
      {run.answer && <Answer text={run.answer} className={headline.box} />}
      {main && <FigureView run={run} figures={main} />}
      {table && (
        <Section title={table.title} isStored>
          <OneTable table={table} columns={run.printed[table.name] ?? []} />
        </Section>
      )}
      <div className={folds.folds}>
        {result.notes.length > 0 && (
          <Folded
            title={t`Notes on these numbers (${inDigits(result.notes.length)})`}
            className={folds.fold}
          >
            {() => (
              <Note>
                <AsStored>
                  {result.notes.map((note) => (
                    <p key={note}>{note}</p>
                  ))}
                </AsStored>
              </Note>
            )}
          </Folded>
        )}
        {others.map((figures) => (
          <Folded key={figures.family} title={figureTitle(figures.title)} className={folds.fold}>
            {() => <FigureView run={run} figures={figures} />}
          </Folded>
        ))}
        {tables.map((one) => (
          <Folded key={one.name} title={one.title} isStored className={folds.fold}>
            {() => <OneTable table={one} columns={run.printed[one.name] ?? []} isOpen />}
          </Folded>
        ))}
        <Counted result={result} />
        <Provenance run={run} />
      </div>
    </>
  );
}

function figureTitle(stored: string): string {
  const title = isolated(stored);
  return t`Figure: ${title}`;
}

/** Longer tables are folded, so that what follows stays within reach. */
const SHOWN_ROWS = 8;
const SHOWN_ROWS_ON_A_PHONE = 4;
const SHOWN_ROWS_OF_AN_OPEN_TABLE = 40;

type TableProps = {
  table: ResultTable;
  columns: readonly PrintedColumn[];
  /** Whether the address asked for this one. */
  isOpen?: boolean;
};

function OneTable({ table, columns, isOpen = false }: TableProps) {
  const [whole, setWhole] = useState(false);
  const [all, setAll] = useState(false);
  const isNarrow = useMediaQuery("(max-width: 760px)", undefined, {
    getInitialValueInEffect: false,
  });
  const first = isNarrow ? SHOWN_ROWS_ON_A_PHONE : SHOWN_ROWS;
  const most = isOpen ? SHOWN_ROWS_OF_AN_OPEN_TABLE : first;
  const isLong = table.rows.length > most + 1;
  const narrow = columns.filter(({ is_main }) => is_main);
  return (
    <>
      <ResultTableView
        title={table.title}
        columns={whole ? columns : narrow}
        rows={isLong && !all ? table.rows.slice(0, most) : table.rows}
      />
      <div className={classes.under}>
        {isLong && (
          <button
            type="button"
            className="linklike"
            aria-pressed={all}
            onClick={() => setAll(!all)}
          >
            {all
              ? plural(most, {
                  one: "Show only the first row",
                  other: "Show only the first # rows",
                })
              : plural(table.rows.length, { one: "Show # row", other: "Show all # rows" })}
          </button>
        )}
        {narrow.length < columns.length && (
          <button
            type="button"
            className="linklike"
            aria-pressed={whole}
            onClick={() => setWhole(!whole)}
          >
            {whole ? t`Show the main columns` : t`Show all columns`}
          </button>
        )}
        {table.notes.length > 0 && !isOpen && (
          <Folded
            title={t`Notes on this table (${inDigits(table.notes.length)})`}
            className={classes.notes}
          >
            {() => <Notes notes={table.notes} />}
          </Folded>
        )}
      </div>
      {isOpen && <Notes notes={table.notes} />}
    </>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return notes.map((note) => (
    <p key={note} {...AS_STORED} className="soft small">
      {note}
    </p>
  ));
}

function Counted({ result: { counts: counted, exclusions } }: { result: Result }) {
  const counts = Object.entries(counted).map(
    ([name, count]) => [readable(name), numberInWords(count)] as [string, string],
  );
  if (counts.length === 0 && exclusions.length === 0) return null;
  return (
    <Folded title={t`Counts and exclusions`} className={folds.fold}>
      {() => (
        <>
          {counts.length > 0 && (
            <AsStored>
              <Facts facts={counts} />
            </AsStored>
          )}
          {exclusions.length > 0 && (
            <Table
              caption={t`Exclusions and reasons`}
              showCaption
              rows={exclusions}
              keyOf={(_, index) => index}
              columns={[
                {
                  name: t`What`,
                  heads: true,
                  cell: (row) => <AsStored inline>{subjectOf(row)}</AsStored>,
                },
                { name: t`How many`, numeric: true, cell: (row) => inDigits(row.count) },
                { name: t`Why`, cell: (row) => <AsStored inline>{row.reason}</AsStored> },
              ]}
            />
          )}
        </>
      )}
    </Folded>
  );
}
