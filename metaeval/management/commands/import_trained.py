"""`manage.py import_trained DATASET DIR [--model NAME]`: what your own trainer predicted from make_targets' folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.importing.memory.problems import ImportRefused, Problem
from annotations.management.console import SHOWN, QuickCommand, actor_of, dataset_of, progress_bar
from metaeval.training_jobs.trained_elsewhere import import_trained


class Command(QuickCommand):
    help = (
        "Import what your own trainer predicted as systems, one for each model and run. DIR is the folder that "
        "make_targets wrote, to which the trainer has added predictions.parquet. All or nothing; repeating the command "
        "changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="the slug of the dataset that the targets were made from")
        parser.add_argument("folder", type=Path, metavar="DIR", help="the folder with the targets and the predictions")
        parser.add_argument(
            "--model", default="", help="what the model is called, if the predictions have no column that says it"
        )
        parser.add_argument("--dry-run", action="store_true", help="only report what would be imported")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace systems of the same names, if no study or result uses the dataset",
        )
        parser.add_argument(
            "--by", metavar="EMAIL", help="e-mail address of the person who does this, for the event log"
        )

    def act(self, **options: Any) -> None:
        try:
            with progress_bar() as progress:
                written, notes = import_trained(
                    dataset_of(options["dataset"]),
                    options["folder"],
                    model=options["model"],
                    actor=actor_of(options["by"]),
                    replace=options["replace"],
                    dry_run=options["dry_run"],
                    progress=progress,
                )
        except ImportRefused as refusal:
            problems = refusal.data["problems"]
            for problem in problems[:SHOWN]:
                self.stderr.write(str(Problem(**problem)))
            raise CommandError(f"{refusal.data['problem_count']:,} problems; nothing was imported.") from refusal
        for note in notes:
            self.stdout.write(f"Note: {note}")
        added = "Dry run: nothing was written. This would be imported" if options["dry_run"] else "Imported"
        for said, systems in ((added, written.added), ("Already there, unchanged", written.unchanged)):
            if systems:
                self.stdout.write(f"{said}: {', '.join(systems)}.")
