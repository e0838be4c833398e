"""`manage.py import_predictions DATASET FILE... [--model M] [--method M] [--run R] [--temperature T] [--dry-run]`"""

from argparse import ArgumentParser
from functools import partial
from typing import Any

from annotations.importing.datasets import import_predictions
from annotations.importing.formats import prediction_readers
from annotations.management.console import dataset_of
from annotations.management.importing import ImportCommand


class Command(ImportCommand):
    help = "Import predictions of systems for a dataset, all or nothing. Repeating the command changes nothing."
    readers = prediction_readers

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="the slug of the dataset that was predicted")
        super().add_arguments(parser)

    def act(self, **options: Any) -> None:
        dataset = dataset_of(options["dataset"])
        self.run_import(partial(import_predictions, dataset=dataset, **self.asked(options)), options)
