"""Open a table of any of the three file formats, recognised by name, or by first bytes if the name says nothing."""

from django.utils.translation import gettext as _

from annotations.ground.progress import Progress
from annotations.importing.checking.sizes import refuse_many_columns
from annotations.importing.memory.problems import Problems
from annotations.importing.reading.files import SourceFile, refuse_foreign
from annotations.importing.reading.tabular.columns import Columns, number_columns
from annotations.importing.reading.tabular.csv_files import first_row, open_csv
from annotations.importing.reading.tabular.json_lines import open_json_lines
from annotations.importing.reading.tabular.parquet_files import MAGIC, columns_of_parquet, open_parquet
from annotations.importing.reading.tabular.sheets import Sheet

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
