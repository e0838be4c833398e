"""What `import_dataset` and `import_predictions` share: options derived from the formats', and the report."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.ground.registry import Registry
from annotations.importing.datasets import ImportReport, RefusedWithReport
from annotations.importing.memory.problems import Problem
from annotations.importing.reading.files import SourceFile
from annotations.management.console import SHOWN, QuickCommand, progress_bar
from annotations.models import User


class ImportCommand(QuickCommand):
    """A command that reads files by one of several formats."""

    readers: Registry[Any]

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="the files of one import")
        parser.add_argument("--format", choices=self.readers.names(), default="", help="the format (default: detected)")
        parser.add_argument(
            "--dry-run", action="store_true", help="only report what would be imported and what is wrong"
        )
        parser.add_argument(
            "--by",
            metavar="EMAIL",
            help=(
                "e-mail address of the person who does this: recorded in the event log, and needed to see the "
                "data in the browser"
            ),
        )
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace data with the same name and different content, as long as no study or analysis uses it",
        )
        parser.add_argument("--json", action="store_true", help="print the report as JSON")
        group = parser.add_argument_group("options of the formats")
        for name, (description, formats) in self._declared().items():
            group.add_argument(
                f"--{name.replace('_', '-')}",
                dest=name,
                default=argparse.SUPPRESS,
                help=f"{description} [{', '.join(formats)}]".replace("%", "%%"),
            )

    def _declared(self) -> dict[str, tuple[str, list[str]]]:
        """Every format's options: what each means, and which formats have it."""
        declared: dict[str, tuple[str, list[str]]] = {}
        for reader in self.readers:
            for name, field in reader.options.model_fields.items():
                declared.setdefault(name, (field.description or "", []))[1].append(reader.name)
        return declared

    def asked(self, options: dict[str, Any]) -> dict[str, Any]:
        """What both commands pass on of the caller's options."""
        return {
            "files": [SourceFile.at(path) for path in options["files"]],
            "format_name": options["format"],
            "options": {name: options[name] for name in self._declared() if name in options},
            "dry_run": options["dry_run"],
            "actor": self._actor(options),
            "replace": options["replace"],
        }

    def _actor(self, options: dict[str, Any]) -> User | None:
        if not options["by"]:
            return None
        user = User.objects.at(options["by"])
        if user is None:
            raise CommandError(f"Nobody has the address {options['by']!r}.")
        return user

    def run_import(self, work: Callable[..., ImportReport], options: dict[str, Any]) -> None:
        """Do the work with a progress bar and print its report; a refusal ends with exit code 1."""
        try:
            with progress_bar(hidden=options["json"]) as progress:
                report = work(progress=progress)
        except RefusedWithReport as refusal:
            report = refusal.report
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was imported.") from None
        if options["json"]:
            self.stdout.write(json.dumps(report.as_data(), ensure_ascii=False, indent=1))
        else:
            self._print(report)
        if report.problem_count:
            raise CommandError(f"{report.problem_count:,} problems; nothing was imported.")

    def _print(self, report: ImportReport) -> None:
        for problem in report.problems[:SHOWN]:
            self.stderr.write(str(Problem(**problem)))
        if report.problem_count > SHOWN:
            self.stderr.write(f"... and {report.problem_count - SHOWN:,} more (--json shows up to 1,000).")
        if report.labels or report.votes:
            self.stdout.write(_facts(report))
        for note in report.notes:
            self.stdout.write(f"Note: {note}")
        if not report.problem_count:
            self.stdout.write(_verdict(report))


def _facts(report: ImportReport) -> str:
    facts = [f"format {report.format}"]
    if report.labels:
        more = ", ..." if len(report.labels) > 4 else ""
        facts += [f"task {report.task}", f"{len(report.labels)} labels ({', '.join(report.labels[:4])}{more})"]
    facts.append(f"{report.instances:,} instances")
    if report.annotations:
        by_people = f" by {report.annotators:,} people" if report.annotators else ""
        facts.append(f"{report.annotations:,} annotations{by_people}")
    if report.votes:
        facts.append(f"{report.votes:,} votes by {report.judges:,} judges")
    if report.systems:
        facts.append(f"{len(report.systems)} systems ({', '.join(report.systems)})")
    return "; ".join(facts)


def _verdict(report: ImportReport) -> str:
    what = f"dataset {report.dataset!r}"
    if report.kind == "predictions":
        what = f"predictions of {len(report.systems)} systems for {what}"
    if report.dry_run:
        return f"Dry run: {what} would be {'imported' if report.changed else 'left as it is'}; nothing was written."
    return f"Imported {what}." if report.changed else f"Nothing was changed: everything already exists ({what})."
