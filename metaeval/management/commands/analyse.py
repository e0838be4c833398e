"""`manage.py analyse SLUG ANALYSIS`: run an analysis here, store it as the page does, print answer and tables."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from django.core.management.base import CommandError

from annotations.history import events
from annotations.management.console import QuickCommand, actor_of, ended_by_signals, progress_bar
from metaeval import figures
from metaeval.analyses.base.printing import (
    FORMATS,
    PrintedColumn,
    TableFormat,
    naming_columns,
    printed_cell,
    printed_columns,
)
from metaeval.analyses.base.registry import Analysis, analyses
from metaeval.analyses.base.table import NOTES, Table
from metaeval.documents.report.tables import with_footnotes
from metaeval.jobs.executing import RunFailed, answer_here
from metaeval.jobs.runs import MAX_SEED
from metaeval.management.options import add_options, chosen_subject, given

ENDINGS = {f".{kind.ending}": kind for kind in FORMATS.values()}


class Command(QuickCommand):
    help = (
        "Run an analysis in this process and print its answer and tables, for a study, for datasets, or "
        "as a simulation. The run is stored: it appears on the page and in the report."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="SLUG", nargs="?", help="The study's slug.")
        parser.add_argument(
            "--dataset", metavar="SLUG", action="append", default=[], help=("A dataset instead of a study; repeatable.")
        )
        ways = parser.add_subparsers(dest="analysis", metavar="ANALYSIS", required=True, parser_class=ArgumentParser)
        for entry in analyses:
            way = ways.add_parser(entry.name, help=entry.title, description=entry.description)
            add_options(way, entry.parameters)
            output = way.add_argument_group("seed and output")
            output.add_argument("--seed", type=int, help="The same seed gives the same numbers (default: the study's).")
            output.add_argument("--rerun", action="store_true", help="Compute even if a result is stored.")
            output.add_argument(
                "--no-store", action="store_false", dest="store", help=("Only look: no page or report will show it.")
            )
            output.add_argument(
                "--by",
                metavar="EMAIL",
                help="Who does this: for the event log, and to see it in the browser.",
            )
            output.add_argument("--json", type=Path, metavar="FILE", help="Write the whole result.")
            output.add_argument(
                "--table",
                metavar="FILE",
                action="append",
                help=f"Write the first table, or NAME=FILE for a named one ({', '.join(ENDINGS)} for "
                "JSON, CSV, LaTeX, Markdown); repeatable.",
            )
            output.add_argument(
                "--figure",
                metavar="FILE",
                action="append",
                help="Write the first chart, or NAME=FILE for a named one, with its caption as .txt "
                f"beside it ({', '.join('.' + kind for kind in figures.FORMATS)}; .csv: its data); "
                "repeatable.",
            )
            output.add_argument(
                "--size", choices=figures.SIZES, default="two", help=("For charts: columns of a paper.")
            )
            output.add_argument("--quiet", action="store_true", help="No tables and no progress bar.")

    def act(self, **options: Any) -> None:
        entry = analyses.get(options["analysis"])
        seed = options["seed"]
        if seed is not None and not 0 <= seed <= MAX_SEED:
            raise CommandError(f"--seed is {seed}; expected a number from 0 to {MAX_SEED}.")
        actor = actor_of(options["by"])
        subject = chosen_subject(entry, study=options["study"], datasets=options["dataset"])
        try:
            with ended_by_signals(), progress_bar(hidden=options["quiet"]) as bar:
                found = answer_here(
                    subject=subject,
                    analysis=entry.name,
                    parameters=given(options, entry.parameters),
                    seed=seed,
                    actor=actor,
                    rerun=options["rerun"],
                    store=options["store"],
                    progress=bar,
                )
        except RunFailed as error:
            if options["traceback"]:
                self.stderr.write(error.detail)
            raise
        except KeyboardInterrupt:
            raise CommandError("Stopped; there is no result.", returncode=130) from None
        if found.known_since is not None:
            self.stderr.write(f"Stored on {found.known_since:%Y-%m-%d %H:%M} UTC (--rerun computes it again).")
        if subject.study is not None:
            events.unblinded_view(actor=actor, study=subject.study, what=f"result of {entry.name}")
        if not options["quiet"]:
            self._print(found.answer, found.result)
        try:
            self._write(entry, found.result, options)
        except OSError as error:
            raise CommandError(f"{error.filename} could not be written: {error.strerror}.") from error

    def _print(self, answer: str, result: dict[str, Any]) -> None:
        if result["is_simulated"]:
            self.stdout.write(self.style.WARNING("Simulated data: these numbers say nothing about real people."))
        self.stdout.write(f"{answer}\n")
        subject = result["subject"]
        counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in result["counts"].items())
        about = subject["slug"] or subject["title"]
        self.stdout.write(f"{result['title']}\n{about}: {counts}; seed {result['seed']}\n")
        width = get_terminal_size((200, 24)).columns
        for table in map(Table.model_validate, result["tables"]):
            self.stdout.write(f"\n{table.title}")
            self.stdout.write("\n".join(table_lines(table, width=width)))
        self.stdout.write("")
        for left_out in result["exclusions"]:
            if left_out["what"] != "system":
                self.stdout.write(f"Left out: {left_out['count']} {left_out['what']} ({left_out['reason']}).")
        for note in result["notes"]:
            self.stdout.write(note)
        self.stdout.write(f"Inputs: sha256:{result['fingerprint']}")

    def _write(self, entry: Analysis, result: dict[str, Any], options: dict[str, Any]) -> None:
        if path := options["json"]:
            path.write_text(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
            self._told(path)
        for argument in options["table"] or []:
            name, _, file = argument.rpartition("=")
            path = Path(file)
            path.write_text(_format(path).write(_table(result, name)), encoding="utf-8")
            self._told(path)
        for argument in options["figure"] or []:
            name, _, file = argument.rpartition("=")
            try:
                first = "" if name else next(iter(entry.figure_names(result)), "")
                chart = entry.draw(name or first, result, size=options["size"])
                written = figures.save(chart, Path(file))
            except (ValueError, LookupError) as error:
                raise CommandError(str(error)) from error
            for path in written:
                self._told(path)

    def _told(self, path: Path) -> None:
        self.stdout.write(f"Wrote {path}")


def _format(path: Path) -> TableFormat:
    kind = ENDINGS.get(path.suffix.lower())
    if kind is None:
        raise CommandError(f"{path.name} does not end in one of {', '.join(ENDINGS)}.")
    return kind


def _table(result: dict[str, Any], name: str) -> Table:
    """The table with this name; the first if none is given."""
    tables = {table["name"]: table for table in result["tables"]}
    if name and name not in tables:
        raise CommandError(f"There is no table {name!r}. Known: {', '.join(tables)}.")
    if not tables:
        raise CommandError("The result has no table.")
    return Table.from_json(tables[name] if name else next(iter(tables.values())))


GAP = 2
"""Spaces between two columns."""


def table_lines(table: Table, *, width: int = 200) -> list[str]:
    """The table in aligned columns, the remarks of its rows below it as footnotes, each once, and then its own notes.

    An interval is one column, and so is a mean with its deviation. If the table does not fit into `width` characters,
    it becomes several, one below the other, with as many columns as fit in each; those of a group stay together.
    """
    details = {column.key for column in table.columns if column.detail}
    marked, footnotes = with_footnotes(table)
    columns = [column for column in printed_columns(marked) if column.key != NOTES and column.key not in details]
    heads = _heads(columns)
    cells = {
        column.keys: [heads[column.keys], *(printed_cell(row, column) for row in marked.rows)] for column in columns
    }
    widths = {keys: max(map(len, column)) for keys, column in cells.items()}
    blocks = [
        _aligned(list(zip(*(cells[shown.keys] for shown in block), strict=True)))
        for block in _blocks(columns, widths, width)
    ]
    lines = [line for block in blocks for line in [*block, ""]][:-1]
    return [*lines, *footnotes, *table.notes]


def _blocks(
    columns: Sequence[PrintedColumn], widths: dict[tuple[str, ...], int], width: int
) -> list[list[PrintedColumn]]:
    """The columns, if they fit; otherwise as many groups as fit side by side, each time after those without a group.

    Without any group, columns stand side by side as they fit, each time after those that name the rows.
    """

    def room(chosen: Sequence[PrintedColumn]) -> int:
        return sum(widths[shown.keys] for shown in chosen) + GAP * (len(chosen) - 1)

    if room(columns) <= width:
        return [list(columns)]
    grouped = [column for column in columns if column.group]
    common = [column for column in columns if not column.group] if grouped else naming_columns(columns)
    units = [list(members) for _, members in groupby(grouped, key=lambda column: column.group)]
    blocks = [common]
    for unit in units or [[column] for column in columns if column not in common]:
        if len(blocks[-1]) > len(common) and room([*blocks[-1], *unit]) > width:
            blocks.append(common)
        blocks[-1] = [*blocks[-1], *unit]
    return blocks


def _heads(columns: Sequence[PrintedColumn]) -> dict[tuple[str, ...], str]:
    """The heading of each column, with its group if several columns have the same title.

    Of several means with their deviations, each has what it is a mean of above it: `PO-JSD ± SD`.
    """
    times = Counter(column.title for column in columns)
    titles = {column.keys: "± SD" if column.group and column.spread else column.title for column in columns}
    return {
        column.keys: " ".join(part for part in (column.group, titles[column.keys]) if part)
        if times[column.title] > 1
        else column.title
        for column in columns
    }


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The first column left-aligned, numbers right-aligned, a rule under the heading."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        (" " * GAP)
        .join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells))
        .rstrip()
        for cells in (list(zip(row, widths, strict=True)) for row in rows)
    ]
    return [lines[0], "─" * sum([*widths, GAP * (len(widths) - 1)]), *lines[1:]]
