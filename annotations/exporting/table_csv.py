"""The tidy table as CSV."""

from __future__ import annotations

import json
from typing import Any

from annotations.exporting.columns import FILTERS, beside, columns_of, plain
from annotations.exporting.formats import ExportFile, encoded, exporter
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
    header = [column.name for column in columns]

    def lines() -> Any:
        return csv_lines(header, ([_cell(value) for value in plain(row, columns).values()] for row in source.rows()))

    return [ExportFile("responses.csv", lambda: encoded(lines())), *beside(source, "responses.csv")]


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
