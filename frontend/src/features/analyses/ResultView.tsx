import { useState } from "react";
import type { Result } from "~/api/types";
import { Download } from "~/components/Download";
import { Table } from "~/components/lists/Table";
import { Note } from "~/components/Note";
import { Facts, Section } from "~/components/Section";
import { readable } from "~/components/words";
import { ResultTableView } from "./ResultTableView";
import classes from "./ResultView.module.css";
import { mainColumns, numberInWords, type ResultTable, subjectOf } from "./result";

const FORMATS = [
  ["csv", "CSV"],
  ["latex", "LaTeX"],
  ["markdown", "Markdown"],
  ["json", "JSON"],
] as const;

/** The published tables, what was counted, and what was left out and why. */
export function ResultView({ id, result }: { id: string; result: Result }) {
  const { notes, tables } = result;
  return (
    <>
      {notes.length > 0 && (
        <Note>
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </Note>
      )}
      {tables.map((table) => (
        <Section key={table.name} title={table.title}>
          <OneTable table={table} href={`/api/v1/runs/${id}/tables/${table.name}/`} />
        </Section>
      ))}
      <Counted result={result} />
    </>
  );
}

/** More rows than this are shown on demand: what follows should not be out of reach. */
const MANY_ROWS = 40;
const SHOWN_ROWS = 25;

function OneTable({ table, href }: { table: ResultTable; href: string }) {
  const [whole, setWhole] = useState(false);
  const [all, setAll] = useState(false);
  const isLong = table.rows.length > MANY_ROWS;
  const narrow = mainColumns(table.columns);
  const isWider = narrow.length < table.columns.length;
  return (
    <>
      <ResultTableView
        title={table.title}
        columns={whole ? table.columns : narrow}
        rows={isLong && !all ? table.rows.slice(0, SHOWN_ROWS) : table.rows}
      />
      {table.notes.map((note) => (
        <p key={note} className="soft small">
          {note}
        </p>
      ))}
      <div className={classes.under}>
        {isLong && (
          <button
            type="button"
            className="linklike"
            aria-pressed={all}
            onClick={() => setAll(!all)}
          >
            {all
              ? `Show the first ${SHOWN_ROWS} rows`
              : `Show all ${numberInWords(table.rows.length)} rows`}
          </button>
        )}
        {isWider && (
          <button
            type="button"
            className="linklike"
            aria-pressed={whole}
            onClick={() => setWhole(!whole)}
          >
            {whole ? "Show the main columns" : "Show every column"}
          </button>
        )}
        <span className={classes.downloads}>
          Download:
          {FORMATS.map(([format, name]) => (
            <Download key={format} href={`${href}?format=${format}`}>
              {name}
            </Download>
          ))}
        </span>
      </div>
    </>
  );
}

function Counted({ result: { counts: counted, exclusions } }: { result: Result }) {
  const counts = Object.entries(counted).map(
    ([name, count]) => [readable(name), numberInWords(count)] as [string, string],
  );
  if (counts.length === 0 && exclusions.length === 0) return null;
  return (
    <Section title="What was counted">
      {counts.length > 0 && <Facts facts={counts} />}
      {exclusions.length > 0 && (
        <Table
          caption="Left out, and why"
          showCaption
          rows={exclusions}
          keyOf={(_, index) => index}
          columns={[
            { name: "What", heads: true, cell: subjectOf },
            { name: "How many", numeric: true, cell: (row) => row.count },
            { name: "Why", cell: (row) => row.reason },
          ]}
        />
      )}
    </Section>
  );
}
