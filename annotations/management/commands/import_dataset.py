"""`manage.py import_dataset SLUG FILE... [--format table] [--title TITLE] [--label-names NAMES] [--dry-run]`"""

import csv
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_slug

from annotations.importing.datasets import import_dataset
from annotations.importing.formats import dataset_readers
from annotations.management.importing import ImportCommand


class Command(ImportCommand):
    help = "Import a dataset from files, all or nothing. Repeating the command changes nothing."
    readers = dataset_readers

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the dataset's short name: letters, digits, hyphens")
        parser.add_argument("--title", default="", help="the title (default: the slug)")
        parser.add_argument("--description", default="", help="description of the dataset")
        parser.add_argument("--source", default="", help="source of the data: a citation or an address")
        parser.add_argument("--licence", default="", help="licence of the data")
        parser.add_argument(
            "--label-names",
            default="",
            metavar="NAMES",
            help="other names for the labels, such as --label-names='0=no; 1=yes', or a file of such lines, of two "
            "columns (CSV) or a JSON object; labels that get the same name are merged",
        )
        super().add_arguments(parser)

    def act(self, **options: Any) -> None:
        try:
            validate_slug(options["slug"])
        except ValidationError:
            raise CommandError(
                f"{options['slug']!r} is not a valid slug: use letters, digits, hyphens and underscores."
            ) from None
        asked = self.asked(options)
        if options["label_names"]:
            asked["options"]["label_names"] = _names_in(options["label_names"])
        about = {name: options[name] for name in ("title", "description", "source", "licence")}
        self.run_import(partial(import_dataset, slug=options["slug"], **about, **asked), options)


def _names_in(names: str) -> str | list[list[str]]:
    """The labels' names as typed, or from a file."""
    path = Path(names)
    if "=" in names or names.lstrip().startswith("{"):
        return names
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise CommandError(f"The label names are neither pairs such as '0=no; 1=yes' nor a file: {names!r}.") from error
    if path.suffix.lower() not in {".csv", ".tsv"}:
        return text if text.lstrip().startswith("{") else text + "\n"
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row]
    return rows[1:] if rows and [cell.strip().lower() for cell in rows[0]] == ["label", "name"] else rows
