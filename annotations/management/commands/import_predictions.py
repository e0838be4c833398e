"""`manage.py import_predictions DATASET FILE... [--model M] [--method M] [--run R] [--temperature T] [--dry-run]`"""

from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management.base import CommandError

from annotations.importing.datasets import import_predictions
from annotations.importing.formats import prediction_readers
from annotations.management.importing import ImportCommand
from annotations.models import Dataset


class Command(ImportCommand):
    help = "Import predictions of systems for a dataset, all or nothing. Repeating the command changes nothing."
    readers = prediction_readers

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="the slug of the dataset that was predicted")
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        dataset = Dataset.objects.filter(slug=options["dataset"]).first()
        if dataset is None:
            known = ", ".join(Dataset.objects.values_list("slug", flat=True)[:20]) or "none yet"
            raise CommandError(f"There is no dataset {options['dataset']!r}. Datasets: {known}.")
        self.run_import(partial(import_predictions, dataset=dataset, **self.asked(options)), options)
