"""The tidy table as JSON lines."""

from __future__ import annotations

import json

from annotations.exporting.columns import FILTERS, beside, columns_of, plain
from annotations.exporting.formats import ExportFile, encoded, exporter
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
    return [
        ExportFile(
            "responses.jsonl",
            lambda: encoded(json.dumps(plain(row, columns), ensure_ascii=False) + "\n" for row in source.rows()),
        ),
        *beside(source, "responses.jsonl"),
    ]
