"""Remarks on the rows of a table as footnotes: on paper, a column of sentences would be too narrow and too high."""

from __future__ import annotations

from metaeval.analyses.base.printing import printed_cell, printed_columns
from metaeval.analyses.base.table import NOTES, Table


def with_footnotes(table: Table) -> tuple[Table, list[str]]:
    """The table without its column of remarks, each row with a mark after its name, and the footnotes, each once.

    >>> from metaeval.analyses.base.table import column
    >>> rows = [{"a": "x", "notes": "Why."}, {"a": "y", "notes": ""}, {"a": "z", "notes": "Why."}]
    >>> whole = Table(name="t", title="T", columns=[column("a", "A"), column(NOTES, "Notes")], rows=rows)
    >>> marked, notes = with_footnotes(whole)
    >>> marked.rows, notes
    ([{'a': 'x [1]'}, {'a': 'y'}, {'a': 'z [1]'}], ['[1] Why.'])
    """
    remarks = [str(row.get(NOTES) or "") for row in table.rows]
    numbers = {remark: at for at, remark in enumerate(dict.fromkeys(filter(None, remarks)), start=1)}
    if not numbers or len(table.columns) == 1:
        return table, []
    columns = [column for column in table.columns if column.key != NOTES]
    first = next(column for column in printed_columns(table) if column.key != NOTES)
    rows = []
    for row, remark in zip(table.rows, remarks, strict=True):
        kept = {column.key: row[column.key] for column in columns}
        if remark:
            kept[first.key] = f"{printed_cell(row, first)} [{numbers[remark]}]"
        rows.append(kept)
    marked = table.model_copy(update={"columns": columns, "rows": rows})
    return marked, [f"[{number}] {remark}" for remark, number in numbers.items()]
