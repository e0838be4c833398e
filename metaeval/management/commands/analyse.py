"""`manage.py analyse SLUG ANALYSIS`: run an analysis here, and print the tables that the field prints."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations import events
from annotations.errors import HLVError
from annotations.management.progress import progress_bar
from annotations.models import EventKind
from metaeval import figures
from metaeval.analyses.base.computing import check_subject
from metaeval.analyses.base.registry import Analysis, analyses
from metaeval.analyses.base.table import Table
from metaeval.analyses.base.table_formats import FORMATS, TableFormat
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import MAX_SEED, compute, result_of, seed_of, stored_run
from metaeval.management.options import add_options, given
from metaeval.management.printing import table_lines
from metaeval.management.subjects import chosen_subject

ENDINGS = {f".{kind.ending}": kind for kind in FORMATS.values()}


class Command(BaseCommand):
    help = "Run an analysis in this process and print its tables: of a study, of datasets, or a simulation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="SLUG", nargs="?", help="The study's slug.")
        parser.add_argument(
            "--dataset", metavar="SLUG", action="append", default=[], help="A dataset in place of a study; repeatable."
        )
        ways = parser.add_subparsers(dest="analysis", metavar="ANALYSIS", required=True, parser_class=ArgumentParser)
        for entry in analyses:
            way = ways.add_parser(entry.name, help=entry.title, description=entry.description)
            add_options(way, entry.parameters)
            output = way.add_argument_group("seed and output")
            output.add_argument("--seed", type=int, help="The same seed gives the same numbers (default: the study's).")
            output.add_argument("--rerun", action="store_true", help="Compute although a result is stored.")
            output.add_argument("--json", type=Path, metavar="FILE", help="Write the whole result.")
            output.add_argument(
                "--table",
                metavar="FILE",
                action="append",
                help="Write the first table, or NAME=FILE a named one "
                f"({', '.join(ENDINGS)} for JSON, CSV, LaTeX, Markdown); may be repeated.",
            )
            output.add_argument(
                "--figure",
                metavar="FILE",
                action="append",
                help="Write the first chart, or NAME=FILE a named one, with its caption as .txt beside it "
                f"({', '.join('.' + kind for kind in figures.FORMATS)}; .csv: its data); may be repeated.",
            )
            output.add_argument("--size", choices=figures.SIZES, default="two", help="Of charts: columns of a paper.")
            output.add_argument("--quiet", action="store_true", help="No tables and no progress bar.")

    def handle(self, *_: Any, **options: Any) -> None:
        entry = analyses.get(options["analysis"])
        seed = options["seed"]
        if seed is not None and not 0 <= seed <= MAX_SEED:
            raise CommandError(f"--seed is {seed}; expected a number from 0 to {MAX_SEED}.")
        subject = chosen_subject(entry, study=options["study"], datasets=options["dataset"])
        try:
            if seed is None:
                parameters = entry.validated(given(options, entry.parameters))
                seed = seed_of(subject=subject, entry=entry, parameters=parameters)
            result = self._result(entry, subject, seed, options)
        except HLVError as error:
            raise CommandError(error.message) from error
        events.record(
            EventKind.ANALYSED,
            study=subject.study,
            dataset=subject.dataset,
            analysis=entry.name,
            seed=seed,
            by="command",
        )
        if not options["quiet"]:
            self._print(result)
        try:
            self._write(entry, result, options)
        except OSError as error:
            raise CommandError(f"{error.filename} could not be written: {error.strerror}.") from error

    def _result(self, entry: Analysis, subject: Subject, seed: int, options: dict[str, Any]) -> dict[str, Any]:
        """The stored result of the same question; else it is computed here."""
        check_subject(entry, subject.kind)
        parameters = given(options, entry.parameters)
        if not options["rerun"]:
            stored = stored_run(subject=subject, entry=entry, parameters=entry.validated(parameters), seed=seed)
            if stored is not None:
                self.stderr.write(f"Stored on {stored.finished_at:%Y-%m-%d %H:%M} UTC (--rerun computes it again).")
                return result_of(stored)
        with progress_bar(hidden=options["quiet"]) as bar:
            return compute(subject=subject, analysis=entry.name, parameters=parameters, seed=seed, progress=bar)

    def _print(self, result: dict[str, Any]) -> None:
        if result["is_simulated"]:
            self.stdout.write(self.style.WARNING("Simulated data: these numbers say nothing about real people."))
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
                first = next(iter(entry.figures), "")
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
    """The table of that name; the first where none is named."""
    tables = {table["name"]: table for table in result["tables"]}
    if name and name not in tables:
        raise CommandError(f"There is no table {name!r}. Known: {', '.join(tables)}.")
    if not tables:
        raise CommandError("The result has no table.")
    return Table.model_validate(tables[name] if name else next(iter(tables.values())))
