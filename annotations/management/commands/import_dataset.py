"""`manage.py import_dataset SLUG FILE... [--format table] [--title TITLE] [--task multilabel] [--dry-run]`"""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_slug

from annotations.importing.datasets import import_dataset
from annotations.importing.formats import dataset_readers
from annotations.management.importing import ImportCommand


class Command(ImportCommand):
    help = "Import a dataset from files, all or nothing. Doing it again changes nothing."
    readers = dataset_readers

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the dataset's short name: letters, digits, hyphens")
        parser.add_argument("--title", default="", help="the title (default: the slug)")
        parser.add_argument("--description", default="", help="what the dataset is")
        parser.add_argument("--source", default="", help="where the data come from: a citation, an address")
        parser.add_argument("--licence", default="", help="under which licence they are")
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            validate_slug(options["slug"])
        except ValidationError:
            raise CommandError(f"{options['slug']!r} is no slug: use letters, digits, hyphens, underscores.") from None
        actor = self.actor(options)
        self.run_import(
            lambda progress: import_dataset(
                files=self.sources(options),
                slug=options["slug"],
                title=options["title"],
                description=options["description"],
                source=options["source"],
                licence=options["licence"],
                format_name=options["format"],
                options=self.given(options),
                dry_run=options["dry_run"],
                actor=actor,
                progress=progress,
            ),
            options,
        )
