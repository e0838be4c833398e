"""The tidy table as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from annotations.exporting.cells import csv_cells
from annotations.exporting.columns import FILTERS, beside, columns_of, saved_by
from annotations.exporting.formats import ExportFile, encoded, exporter
from annotations.exporting.moments import moment_in_iso
from annotations.exporting.rows import ResponseSource
from annotations.exporting.spreadsheets import csv_lines


@exporter(
    "csv",
    title="Table (CSV)",
    description="One row per response, for spreadsheets. Cells that a spreadsheet would run are neutralised.",
    read_by="Excel, LibreOffice, R, pandas, SPSS",
    filters=FILTERS,
)
def table_csv(source: ResponseSource) -> list[ExportFile]:
    columns = columns_of(source)
    line = ",".join(["%s"] * len(columns)) + "\r\n"

    def lines() -> Iterator[str]:
        yield from csv_lines([column.name for column in columns], [])
        for rows in source.chunks(moment_in_iso):
            cells = (csv_cells(column.kind, list(map(column.value, rows))) for column in columns)
            yield "".join(map(line.__mod__, zip(*cells, strict=True)))

    return [ExportFile("responses.csv", lambda: encoded(lines()), saved_by(source)), *beside(source, "responses.csv")]
