"""The tidy table as CSV, as JSON lines, and as Parquet (typed: times are timestamps in UTC, labels are lists)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from annotations.exporting.cells import csv_cells, json_cells, moment_in_iso, to_json
from annotations.exporting.columns import FILTERS, Variable, columns_of
from annotations.exporting.companion_files import beside
from annotations.exporting.formats import ByteSink, ExportFile, encoded, exporter
from annotations.exporting.rows import ResponseRow, ResponseSource
from annotations.exporting.spreadsheets import csv_lines

if TYPE_CHECKING:
    import pyarrow as pa

GROUP = 5_000  # rows of a row group of Parquet; of each, the writer remembers a few kilobytes a column until the end


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
        yield from _lines(source, line, csv_cells)

    return _with_companions(source, "responses.csv", lambda: encoded(lines()))


@exporter(
    "jsonl",
    title="Table (JSON lines)",
    description="One object per response, following the included JSON Schema.",
    read_by="Python, R (jsonlite), jq and your own programs",
    filters=FILTERS,
)
def table_json_lines(source: ResponseSource) -> list[ExportFile]:
    fields = (f"{to_json(column.name)}: ".replace("%", "%%") + "%s" for column in columns_of(source))
    line = f"{{{', '.join(fields)}}}\n"
    return _with_companions(source, "responses.jsonl", lambda: encoded(_lines(source, line, json_cells)))


@exporter(
    "parquet",
    title="Table (Parquet)",
    description="One row per response, typed, for pandas, R or DuckDB.",
    read_by="pandas, R (arrow), DuckDB",
    filters=FILTERS,
)
def table_parquet(source: ResponseSource) -> list[ExportFile]:
    return _with_companions(source, "responses.parquet", lambda: _chunks(source))


def _with_companions(source: ResponseSource, name: str, chunks: Callable[[], Iterable[bytes]]) -> list[ExportFile]:
    saved = {column.name: column.saved for column in columns_of(source)}
    return [ExportFile(name, chunks, saved), *beside(source, name)]


def _lines(source: ResponseSource, line: str, write: Callable[[str, Sequence[Any]], Iterable[Any]]) -> Iterator[str]:
    """The rows, many at a time. `line` has a place for every cell, as `write` writes those of a column."""
    columns = columns_of(source)
    for rows in source.chunks(moment_in_iso):
        cells = (write(column.kind, list(map(column.value, rows))) for column in columns)
        yield "".join(map(line.__mod__, zip(*cells, strict=True)))


def _schema(columns: Sequence[Variable]) -> pa.Schema:
    import pyarrow as pa

    kinds = {
        "text": pa.string(),
        "integer": pa.int64(),
        "share": pa.float64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
        "texts": pa.list_(pa.string()),
    }
    return pa.schema([pa.field(c.name, kinds[c.kind], nullable=c.nullable) for c in columns])


def _chunks(source: ResponseSource) -> Iterator[bytes]:
    """One row group at a time, so that neither side holds more than one in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    variables = columns_of(source)
    schema = _schema(variables).with_metadata(
        {"study": source.study.slug, "simulated": str(source.is_simulated).lower()}
    )
    sink = ByteSink()
    with pq.ParquetWriter(pa.PythonFile(sink, mode="w"), schema) as writer:
        for group in _groups((_batch(rows, variables, schema) for rows in source.chunks(moment_in_iso)), schema):
            writer.write_table(group, row_group_size=GROUP)
            yield sink.take()
    yield sink.take()


def _batch(rows: Sequence[ResponseRow], variables: Sequence[Variable], schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    arrays = []
    for variable, field in zip(variables, schema, strict=True):
        values = list(map(variable.value, rows))
        is_time = variable.kind == "time"  # a text, of which Arrow makes a number faster than Python an object
        arrays.append(pa.array(values).cast(field.type) if is_time else pa.array(values, type=field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _groups(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Tables of `GROUP` rows, the last of fewer, whatever the batches' sizes."""
    import pyarrow as pa

    pending = schema.empty_table()
    for batch in batches:
        pending = pa.concat_tables([pending, pa.Table.from_batches([batch])])
        while len(pending) >= GROUP:
            yield pending.slice(0, GROUP).combine_chunks()
            pending = pending.slice(GROUP)
    if len(pending):
        yield pending.combine_chunks()
