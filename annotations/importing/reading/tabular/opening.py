"""Open a table of any of the three file formats, recognised by name, or by first bytes if the name says nothing."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from django.utils.translation import gettext as _

from annotations.ground.progress import Progress
from annotations.importing.memory.limits import CELL, refuse_large_table, refuse_many_columns
from annotations.importing.memory.problems import Problems
from annotations.importing.reading.files import SourceFile, refuse_foreign
from annotations.importing.reading.tabular.csv_files import first_row, open_csv
from annotations.importing.reading.tabular.json_lines import open_json_lines
from annotations.importing.reading.tabular.sheets import Columns, Sheet, number_columns

MAGIC = b"PAR1"
COUNT = Path(__file__).with_name("count_in_parquet.py")
KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def kind_of(file: SourceFile) -> str:
    """`csv`, `json` or `parquet`; empty if it is not a known kind of table."""
    head = file.head(4)
    if head == MAGIC:
        return "parquet"
    if kind := KINDS.get(file.suffix):
        return kind
    if head == b"\x93NUM" or head[:2] == b"PK":
        return ""
    line = file.first_line()
    if line.startswith(b"{"):
        return "json"
    return "csv" if b"," in line or b"\t" in line else ""


def refuse_wide(file: SourceFile, problems: Problems) -> None:
    """Stop at a CSV or Parquet file with more columns than can be read, before anybody looks what they contain."""
    match kind_of(file):
        case "parquet":
            refuse_many_columns(problems, file.name, len(columns_of_parquet(file)))
        case "csv":
            refuse_many_columns(problems, file.name, len(first_row(file, _delimiter(file))))


def open_sheet(
    file: SourceFile,
    *,
    problems: Problems,
    progress: Progress,
    delimiter: str = "",
    numbers: Columns = number_columns,
) -> Sheet:
    """Read a whole table file, or stop and say what is wrong with it. `numbers` says which columns contain numbers."""
    refuse_foreign(file, problems)
    progress(0, file.size, f"reading {file.name}")
    match kind_of(file):
        case "parquet":
            sheet = open_parquet(file, problems=problems)
        case "json":
            sheet = open_json_lines(file, problems=problems, progress=progress, numbers=numbers)
        case "csv":
            sheet = open_csv(file, delimiter=delimiter or _delimiter(file), problems=problems, numbers=numbers)
        case _:
            problems.stop(
                file.name, _("this table could not be read"), remedy=_("Use CSV, JSON lines (.jsonl) or Parquet.")
            )
    if not len(sheet):
        problems.stop(file.name, _("the table has no rows"), remedy=_("Provide the file that contains the data."))
    progress(file.size, file.size, f"read {file.name}")
    return sheet


def _delimiter(file: SourceFile) -> str:
    """The separator in the header: a comma or, if there is none, a tab or the semicolon of some spreadsheets."""
    line = file.first_line()
    if file.suffix in {".tsv", ".tab"}:
        return "\t"
    return next((mark.decode() for mark in (b",", b"\t", b";") if mark in line), ",")


def columns_of_parquet(file: SourceFile) -> list[str]:
    """The columns' names; empty for a damaged file, which `open_parquet` reports."""
    try:
        return list(pq.read_schema(str(file.path)).names)
    except (pa.ArrowException, OSError, ValueError):
        return []


def _declared(file: SourceFile, metadata: pq.FileMetaData) -> int:
    """What the file says that its values take in memory. Lists may hold many more values than there are rows, and many
    equal ones are packed into a few bytes.

    ValueError: the file is damaged.
    """
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    values = metadata.num_columns * max(metadata.num_rows, sum(group.num_rows for group in groups))
    if any(metadata.schema.column(place).max_repetition_level for place in range(metadata.num_columns)):
        command = [sys.executable, "-P", str(COUNT), str(file.path)]
        counted = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - without a shell
        if counted.returncode:
            raise ValueError("the description of a column cannot be read")
        values += int(counted.stdout)
    return int(max(sum(group.total_byte_size for group in groups), CELL * values))


def open_parquet(file: SourceFile, *, problems: Problems) -> Sheet:
    """Read the whole file. "Lines" are its rows, from 1."""
    with file.path.open("rb") as stream:
        stream.seek(max(0, file.size - len(MAGIC)))
        if stream.read() != MAGIC:
            problems.stop(
                file.name,
                _("the Parquet file has no footer, so it is incomplete"),
                remedy=_("Download the complete file again."),
            )
    try:
        opened = pq.ParquetFile(str(file.path))
        metadata = opened.metadata
        refuse_many_columns(problems, file.name, metadata.num_columns)
        refuse_large_table(
            problems,
            file.name,
            rows=metadata.num_rows,
            columns=metadata.num_columns,
            declared=_declared(file, metadata),
        )
        names = opened.schema_arrow.names
        texts = [f.name for f in opened.schema_arrow if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]
        table = pq.read_table(str(file.path), read_dictionary=texts)
        table.validate(full=True)  # a damaged page may contain indices beyond its dictionary
    except (pa.ArrowException, OSError, ValueError):
        problems.stop(
            file.name,
            _("this could not be read as Parquet: it is damaged or incomplete"),
            remedy=_("Download the complete file again."),
        )
    if len(set(names)) != len(names):
        problems.stop(file.name, _("two columns have the same name"), remedy=_("Give every column a unique name."))
    return Sheet(
        file,
        table,
        problems,
        find_lines=lambda: range(1, table.num_rows + 1),
        is_parquet=True,
    )
