"""Give a dataset's labels other words by which experts can find them."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.designing.label_names import find_labels_by
from annotations.importing.memory.problems import Problems
from annotations.importing.reading.files import SourceFile
from annotations.importing.reading.labels import entries_in
from annotations.management.console import QuickCommand
from annotations.models import Dataset
from annotations.simulating.demo.texts import SEARCH_WORDS_FILE


class Command(QuickCommand):
    help = (
        "Give labels search words (tenant, landlord, rent for Housing), from a label list that has them, or the "
        "built-in ones for 33 areas of law. Labels that are not listed keep theirs."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("dataset", help="its short name")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("file", nargs="?", type=Path, help="a label list, .txt or .json (docs/data.md)")
        source.add_argument("--areas-of-law", action="store_true", help="the built-in words")

    def act(self, **options: Any) -> None:
        dataset = Dataset.objects.filter(slug=options["dataset"]).first()
        if dataset is None:
            raise CommandError(f"There is no dataset {options['dataset']}.")
        path = SEARCH_WORDS_FILE if options["areas_of_law"] else options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        listed = dict(entries_in(SourceFile.at(path), Problems()))
        places = dict(dataset.labels.values_list("name", "position"))
        unknown = [name for name in listed if name not in places]
        if unknown and not options["areas_of_law"]:
            raise CommandError(f"{path.name}: the dataset has no label {unknown[0]!r}. Upper and lower case matter.")
        words = {places[name]: search_words for name, search_words in listed.items() if name in places and search_words}
        changed = find_labels_by(dataset=dataset, words=words)
        self.stdout.write(f"{len(changed)} labels have new search words.")
