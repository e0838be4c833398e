"""`manage.py analyse SLUG preference_correlation`: run an analysis here, and print the table that the field prints."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotations import events
from annotations.errors import HLVError
from annotations.exporting.spreadsheets import csv_lines
from annotations.models import EventKind, Study
from metaeval import figures
from metaeval.analyses.registry import Analysis, analyses
from metaeval.jobs.running import MAX_SEED, compute
from metaeval.management.options import add_options, given
from metaeval.management.printing import table_lines


class Command(BaseCommand):
    help = "Run an analysis of a study in this process and print its table."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="SLUG", help="The study's slug.")
        ways = parser.add_subparsers(dest="analysis", metavar="ANALYSIS", required=True, parser_class=ArgumentParser)
        for entry in analyses:
            way = ways.add_parser(entry.name, help=entry.title, description=entry.description)
            add_options(way, entry.parameters)
            output = way.add_argument_group("seed and output")
            output.add_argument("--seed", type=int, help="The same seed gives the same numbers (default: the study's).")
            output.add_argument("--json", type=Path, metavar="FILE", help="Write the whole result.")
            output.add_argument("--csv", type=Path, metavar="FILE", help="Write the table.")
            output.add_argument(
                "--figure",
                metavar="FILE",
                action="append",
                help="Write the overview chart, or NAME=FILE a named one (.svg, .png, .pdf, .json); may be repeated.",
            )
            output.add_argument("--quiet", action="store_true", help="No table and no progress bar.")

    def handle(self, *_: Any, **options: Any) -> None:
        entry = analyses.get(options["analysis"])
        seed = options["seed"]
        if seed is not None and not 0 <= seed <= MAX_SEED:
            raise CommandError(f"--seed is {seed}; expected a number from 0 to {MAX_SEED}.")
        try:
            study = Study.objects.select_related("dataset").get(slug=options["study"])
        except Study.DoesNotExist:
            known = ", ".join(Study.objects.values_list("slug", flat=True)[:20]) or "none yet"
            raise CommandError(f"There is no study {options['study']!r}. Studies: {known}.") from None
        seed = study.seed if seed is None else seed
        try:
            with Bar(quiet=options["quiet"]) as bar:
                result = compute(
                    study=study,
                    analysis=entry.name,
                    parameters=given(options, entry.parameters),
                    seed=seed,
                    progress=bar,
                )
        except HLVError as error:
            raise CommandError(error.message) from error
        events.record(EventKind.ANALYSED, study=study, analysis=entry.name, seed=seed, by="command")
        if not options["quiet"]:
            self._print(result)
        try:
            self._write(entry, result, options)
        except OSError as error:
            raise CommandError(f"{error.filename} could not be written: {error.strerror}.") from error

    def _print(self, result: dict[str, Any]) -> None:
        counts = result["counts"]
        if result["is_simulated"]:
            self.stdout.write(self.style.WARNING("Simulated data: these numbers say nothing about real people."))
        self.stdout.write(
            f"{result['title']}\n{result['study']['slug']}: {counts['systems']} systems, "
            f"{counts['responses']} responses of {counts['experts']} experts to {counts['comparisons']} comparisons; "
            f"seed {result['seed']}\n"
        )
        self.stdout.write("\n".join(table_lines(result["table"], width=get_terminal_size((200, 24)).columns)))
        for left_out in result["exclusions"]:
            if left_out["what"] == "responses":
                self.stdout.write(f"Left out: {left_out['count']} responses ({left_out['reason']}).")
        self.stdout.write(f"Inputs: sha256:{result['fingerprint']}")

    def _write(self, entry: Analysis, result: dict[str, Any], options: dict[str, Any]) -> None:
        if path := options["json"]:
            path.write_text(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
            self._told(path)
        if path := options["csv"]:
            table = result["table"]
            keys = [column["key"] for column in table["columns"]]
            lines = csv_lines(keys, ([row[key] for key in keys] for row in table["rows"]))
            path.write_text("".join(lines), encoding="utf-8")
            self._told(path)
        for argument in options["figure"] or []:
            name, _, file = argument.rpartition("=")
            try:
                figures.save(figures.draw(name or entry.figures[0], entry.figures, result), Path(file))
            except (ValueError, LookupError) as error:
                raise CommandError(str(error)) from error
            self._told(Path(file))

    def _told(self, path: Path) -> None:
        self.stdout.write(f"Wrote {path}")


class Bar:
    """A progress bar on standard error that takes an analysis's progress."""

    def __init__(self, *, quiet: bool) -> None:
        self.bar = tqdm(
            total=None, disable=quiet or not sys.stderr.isatty(), leave=False, bar_format="{l_bar}{bar}| {desc}"
        )

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def __call__(self, done: int, total: int, message: str = "") -> None:
        self.bar.total = total
        self.bar.set_description_str(message, refresh=False)
        self.bar.n = done
        self.bar.refresh()
