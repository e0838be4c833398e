"""`manage.py export_votes DATASET --format csv --out DIR`"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.exporting.votes import export_votes, vote_formats
from annotations.management.console import QuickCommand, write_files
from annotations.models import Dataset


class Command(QuickCommand):
    help = "Write a dataset's pairwise votes into a folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="the slug of the dataset")
        parser.add_argument("--format", required=True, choices=vote_formats.names(), help="how to write them")
        parser.add_argument(
            "--out", required=True, type=Path, help="the folder (created if missing; files are replaced)"
        )

    def act(self, **options: Any) -> None:
        dataset = Dataset.objects.filter(slug=options["dataset"]).first()
        if dataset is None:
            raise CommandError(f"There is no dataset {options['dataset']!r}.")
        write_files(options["out"], export_votes(dataset=dataset, format_name=options["format"]), self.stdout)
