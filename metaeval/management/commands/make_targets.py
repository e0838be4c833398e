"""`manage.py make_targets DATASET --method AR --out DIR`: what a method learns from, for a trainer of your own."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, get_args

from annotations.management.console import QuickCommand, dataset_of, progress_bar
from metaeval.training.registry import methods
from metaeval.training.splits import SplitKind
from metaeval.training_jobs.progress import twins_in_words
from metaeval.training_jobs.trained_elsewhere import make_targets


class Command(QuickCommand):
    help = (
        "Write what a training method learns from (examples, weights, targets, folds) as Parquet tables, for a trainer "
        "of your own. Nothing is trained, and PyTorch is not needed. targets.json in the folder says what each column "
        "means, and which predictions import_trained takes back."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="the dataset's slug")
        parser.add_argument("--method", required=True, choices=methods.names(), help="the training method")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a folder that is new or empty")
        parser.add_argument(
            "--split",
            choices=get_args(SplitKind),
            help="given (the parts that the files name), folds (each text is predicted once), or shares (8:1:1). "
            "Default: given if the files name a training and a test part, else folds",
        )
        parser.add_argument("--folds", type=int, default=10, help="how many, if the split is folds (default: 10)")
        parser.add_argument(
            "--stratify", action="store_true", help="give every part about the same share of each majority label"
        )
        parser.add_argument(
            "--seed", type=int, default=0, help="of the split; take the same for methods that you compare (default: 0)"
        )

    def act(self, **options: Any) -> None:
        dataset, folder = dataset_of(options["dataset"]), options["out"]
        with progress_bar() as progress:
            split = make_targets(
                dataset,
                folder,
                method=options["method"],
                kind=options["split"],
                folds=options["folds"],
                seed=options["seed"],
                stratify=options["stratify"],
                progress=progress,
            )
        for number, fold in enumerate(split):
            self.stdout.write(
                f"Fold {number}: {len(fold.train):,} texts for training, {len(fold.dev):,} for development, "
                f"{len(fold.test):,} to be predicted."
            )
        if split.twins:
            self.stdout.write(f"Note: {twins_in_words(split.twins)}")
        self.stdout.write(f"{folder} has the targets; {folder / 'targets.json'} says what they mean.")
