"""The tidy table as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator

from annotations.exporting.cells import json_cells, to_json
from annotations.exporting.columns import FILTERS, beside, columns_of, saved_by
from annotations.exporting.formats import ExportFile, encoded, exporter
from annotations.exporting.moments import moment_in_iso
from annotations.exporting.rows import ResponseSource


@exporter(
    "jsonl",
    title="Table (JSON lines)",
    description="One object per response, following the included JSON Schema.",
    read_by="Python, R (jsonlite), jq and your own programs",
    filters=FILTERS,
)
def table_json_lines(source: ResponseSource) -> list[ExportFile]:
    columns = columns_of(source)
    fields = (f"{to_json(column.name)}: ".replace("%", "%%") + "%s" for column in columns)
    line = f"{{{', '.join(fields)}}}\n"

    def lines() -> Iterator[str]:
        for rows in source.chunks(moment_in_iso):
            cells = (json_cells(column.kind, list(map(column.value, rows))) for column in columns)
            yield "".join(map(line.__mod__, zip(*cells, strict=True)))

    return [
        ExportFile("responses.jsonl", lambda: encoded(lines()), saved_by(source)),
        *beside(source, "responses.jsonl"),
    ]
