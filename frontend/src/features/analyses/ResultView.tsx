import { useState } from "react";
import type { Run } from "~/api/types";
import { Facts } from "~/components/Section";
import { Table } from "~/components/Table";
import { readable } from "~/components/words";
import { ResultTableView } from "./ResultTableView";
import { exclusionsOf, mainColumns, pairsOf, tableOf } from "./result";

/** The published table, what was counted, and what was left out and why. */
export function ResultView({ result }: { result: Run["result"] }) {
  const [whole, setWhole] = useState(false);
  const table = tableOf(result);
  const exclusions = exclusionsOf(result);
  const counts = pairsOf(result, "counts").map(
    ([name, value]) => [readable(name), value] as [string, string],
  );
  const narrow = table ? mainColumns(table.columns) : [];
  const isWider = table !== null && narrow.length < table.columns.length;
  return (
    <>
      {table && (
        <>
          <ResultTableView columns={whole ? table.columns : narrow} rows={table.rows} />
          {isWider && (
            <div>
              <button
                type="button"
                className="linklike"
                aria-pressed={whole}
                onClick={() => setWhole(!whole)}
              >
                {whole ? "Show the main columns" : "Show every column"}
              </button>
            </div>
          )}
        </>
      )}
      {counts.length > 0 && <Facts facts={counts} />}
      {exclusions.length > 0 && (
        <Table
          caption="Left out, and why"
          showCaption
          rows={exclusions}
          keyOf={(_, index) => index}
          columns={[
            { name: "What", heads: true, cell: (row) => row.subject },
            { name: "How many", numeric: true, cell: (row) => row.count },
            { name: "Why", cell: (row) => row.reason },
          ]}
        />
      )}
    </>
  );
}
