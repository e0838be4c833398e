"""`manage.py export_responses SLUG --format csv --out DIR`"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotations.exporting.exports import export_responses
from annotations.exporting.formats import formats
from annotations.management.console import QuickCommand, study_of, write_files


class Command(QuickCommand):
    help = "Write a study's responses into a folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the study")
        parser.add_argument("--format", required=True, choices=formats.names(), help="how to write them")
        parser.add_argument(
            "--out", required=True, type=Path, help="the folder (created if missing; files are replaced)"
        )

    def act(self, **options: Any) -> None:
        study = study_of(options["slug"])
        write_files(options["out"], export_responses(study=study, format_name=options["format"]), self.stdout)
        answered = study.assignments.completed().count()
        self.stdout.write(f"{answered:,} responses{' (SIMULATED data)' if study.is_simulated else ''}")
