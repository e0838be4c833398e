"""The tidy table as JSON lines."""

from __future__ import annotations

import json

from annotations.exporting.columns import beside, plain
from annotations.exporting.formats import ExportFile, encoded, exporter
from annotations.exporting.rows import ResponseSource


@exporter("jsonl", title="Table (JSON lines)", description="One object a response, as the JSON Schema beside it says.")
def table_json_lines(source: ResponseSource) -> list[ExportFile]:
    return [
        ExportFile(
            "responses.jsonl",
            lambda: encoded(json.dumps(plain(row), ensure_ascii=False) + "\n" for row in source.rows()),
        ),
        *beside(source, "responses.jsonl"),
    ]
