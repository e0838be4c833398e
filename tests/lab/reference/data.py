"""What is read, written and stored: the pages on formats, on the event log and on stored data."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic.fields import FieldInfo

from annotations import importing
from annotations.erasing.registry import Fate, Holding, Sort, holdings
from annotations.exporting.columns import COLUMNS, Variable
from annotations.exporting.columns import FILES as TABLE_FILES
from annotations.exporting.formats import formats
from annotations.exporting.study_responses import FILES as STUDY_FILES
from annotations.exporting.votes import FILES as VOTE_FILES
from annotations.exporting.votes import vote_formats
from annotations.importing.formats import Reader, dataset_readers, prediction_readers
from annotations.importing.memory.options import NamingOptions
from annotations.models.events import EventKind
from metaeval.bundles import layout
from metaeval.bundles.layout import Field
from tests.lab.reference.markdown import anchor, docstring, table, written_by

FORMATS_HEAD = """
[Data in and out](../data.md) says how to import and export. Options are typed as `--temperature 2` at the command
line, and are fields of the API and of the page's form.
"""
CONVENTIONS = Path(importing.__file__).with_name("conventions.md")
"""How a task is inferred, labels renamed, what is left out and what refused."""
OURS = ("annotations.", "metaeval.")


def formats_page() -> str:
    parts = [
        written_by("Formats", FORMATS_HEAD),
        "# Formats that can be imported\n",
        *(_reader(reader) for reader in _readers_of(dataset_readers)),
        _options("Options of every dataset format", NamingOptions.model_fields),
        CONVENTIONS.read_text(encoding="utf-8"),
        "# Formats of predictions\n",
        *(_reader(reader) for reader in _readers_of(prediction_readers)),
        "# Formats of responses\n",
        _exports(),
        _files("Files of `csv`, `jsonl` and `parquet`", TABLE_FILES),
        _columns(),
        _files("Files of `study_responses`", STUDY_FILES),
        "# Formats of votes\n",
        table(["format", "what"], [(f"`{entry.name}`", entry.description) for entry in vote_formats]) + "\n",
        _files("Files of votes", VOTE_FILES),
        "# Files of a bundle\n",
        _bundle(),
    ]
    return "\n".join(parts)


def _readers_of(registry: Any) -> list[Reader[Any]]:
    return [reader for reader in registry if type(reader).__module__.startswith(OURS)]


def _reader(reader: Reader[Any]) -> str:
    own = type(reader).__dict__.get("__doc__") or sys.modules[type(reader).__module__].__doc__
    head = f"{anchor(f'{reader.kind}-{reader.name}')}\n## `{reader.name}`: {reader.title}"
    parts = [head, reader.description, docstring(own)]
    return "\n\n".join(parts) + "\n\n" + _options("", reader.options.model_fields)


def _options(title: str, fields: Mapping[str, FieldInfo]) -> str:
    rows = [(f"`{name}`", _option_values(field), str(field.description or "")) for name, field in fields.items()]
    head = f"## {title}\n\n" if title else ""
    return head + (table(["option", "values", "meaning"], rows) + "\n" if rows else "")


def _option_values(field: FieldInfo) -> str:
    """The default first."""
    choices = [value for value in get_args(field.annotation) if isinstance(value, str)]
    default = field.default
    if choices:
        return ", ".join([f"**`{default}`**", *(f"`{value}`" for value in choices if value != default)])
    if default in ("", (), None):
        return ""
    return f"**{'; '.join(default) if isinstance(default, tuple) else default}**"


def _exports() -> str:
    ours = [entry for entry in formats if entry.files.__module__.startswith(OURS)]
    rows = [(f"`{entry.name}`", entry.title, entry.description, entry.read_by) for entry in ours]
    return table(["format", "title", "what", "read by"], rows) + "\n"


def _columns() -> str:
    """The tidy table: one row per expert's whole answer to one comparison."""
    rows = [(f"`{column.name}`", _kind_of(column), column.says) for column in COLUMNS]
    return f"## Columns of the table of responses\n\n{table(['column', 'kind', 'what it says'], rows)}\n"


def _kind_of(column: Variable) -> str:
    kind = ", ".join(column.values) or column.kind
    return f"{kind}; may be empty" if column.nullable else kind


def _files(title: str, files: Mapping[str, str]) -> str:
    return f"## {title}\n\n{table(['file', 'what it holds'], [(f'`{name}`', says) for name, says in files.items()])}\n"


def _bundle() -> str:
    tables = {
        layout.INSTANCES: layout.INSTANCE_FIELDS,
        layout.ANNOTATIONS: layout.ANNOTATION_FIELDS,
        layout.ANSWERS: layout.ANSWER_FIELDS,
        layout.TURNS: layout.TURN_FIELDS,
        layout.REPORTS: layout.REPORT_FIELDS,
    }
    files = table(["file", "what it holds"], [(f"`{name}`", says) for name, says in layout.FILES.items()])
    return "\n\n".join([files, *(_bundle_fields(name, fields) for name, fields in tables.items())]) + "\n"


def _bundle_fields(name: str, fields: tuple[Field, ...]) -> str:
    rows = [(f"`{field.name}`", field.kind, field.says) for field in fields]
    return f"## Columns of `{name}`\n\n" + table(["column", "kind", "what it says"], rows)


EVENTS_HEAD = """
Every act that matters is one row of the log: who, when, about which study or dataset, with counts, names of files and
parameters, and never a text or an answer. People appear by id; names and addresses are looked up when the log is read.
Nobody can change or delete a row: triggers of the database refuse it, except in an erasure, which is itself an event.
Researchers and admins read the log of their studies under *History*, or with `GET /api/v1/studies/{slug}/events/`.
"""


def events_page() -> str:
    rows = [(f"`{kind.value}`", str(kind.label)) for kind in EventKind]
    return f"{written_by('The event log', EVENTS_HEAD)}\n{table(['event', 'what happened'], rows)}\n"


STORED_DATA_HEAD = """
Every table of the database that holds something about people, texts or answers, or lets somebody in. Whoever runs a
server can begin a record of processing activities (Article 30 of the GDPR) with it; [Data
protection](../data-protection.md) says how to erase.
"""
FATES = {Fate.KEPT: "stays, under a number", Fate.BLANKED: "emptied", Fate.DELETED: "deleted"}


def stored_data_page() -> str:
    by_model = sorted(holdings, key=lambda holding: holding.model)
    rows = [
        (
            f"`{holding.model}`",
            *(", ".join(f"`{name}`" for name in getattr(holding, sort.value)) for sort in Sort if sort != Sort.NEITHER),
            holding.purpose,
            holding.until,
            _if_erased(holding),
        )
        for holding in by_model
        if _is_telling(holding)
    ]
    names = ["table", "personal", "texts", "answers", "secrets", "kept to", "kept until", "if the person is erased"]
    others = ", ".join(f"`{holding.model}`" for holding in by_model if not _is_telling(holding))
    return f"{written_by('What is stored', STORED_DATA_HEAD)}\n{table(names, rows)}\n\nNothing of these in: {others}.\n"


def _is_telling(holding: Holding) -> bool:
    return any(getattr(holding, sort.value) for sort in Sort if sort != Sort.NEITHER)


def _if_erased(holding: Holding) -> str:
    if holding.model == "annotations.User":
        return "becomes a code"
    return "deleted" if holding.address or holding.model == "admin.LogEntry" else FATES[holding.fate]
