"""The tidy table as Parquet, typed: times are timestamps in UTC, labels are lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from annotations.exporting.columns import FILTERS, Variable, beside, columns_of
from annotations.exporting.formats import ExportFile, exporter
from annotations.exporting.rows import CHUNK, ResponseSource
from annotations.exporting.sinks import ByteSink

if TYPE_CHECKING:
    import pyarrow as pa


@exporter(
    "parquet",
    title="Table (Parquet)",
    description="One row per response, typed, for pandas, R or DuckDB.",
    read_by="pandas, R (arrow), DuckDB",
    filters=FILTERS,
)
def table_parquet(source: ResponseSource) -> list[ExportFile]:
    return [ExportFile("responses.parquet", lambda: _chunks(source)), *beside(source, "responses.parquet")]


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
    """One row group per chunk of rows, so that neither side holds more than one in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    variables = columns_of(source)
    schema = _schema(variables).with_metadata(
        {"study": source.study.slug, "simulated": str(source.is_simulated).lower()}
    )
    sink = ByteSink()
    with pq.ParquetWriter(pa.PythonFile(sink, mode="w"), schema) as writer:
        stream = source.rows()
        while rows := list(islice(stream, CHUNK)):
            columns: list[Any] = [[column.value(row) for row in rows] for column in variables]
            arrays = [pa.array(values, type=field.type) for values, field in zip(columns, schema, strict=True)]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
            yield sink.take()
    yield sink.take()
