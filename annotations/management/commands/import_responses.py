"""`manage.py import_responses DIR --dataset SLUG --study SLUG`"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.importing.memory.problems import ImportRefused
from annotations.importing.responses.restoring import restore_study
from annotations.importing.responses.study_responses import read_study_responses
from annotations.management.console import SHOWN, QuickCommand
from annotations.models import Dataset


class Command(QuickCommand):
    help = "Restore a study from exported study responses. Its dataset and predictions must already be imported."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="with responses.jsonl, metadata.csv and the other exported files")
        parser.add_argument("--dataset", required=True, help="the dataset that was judged")
        parser.add_argument("--study", default="", help="slug of the new study (default: its original slug)")
        parser.add_argument(
            "--dry-run", action="store_true", help="only report what would be imported and what is wrong"
        )
        parser.add_argument("--title", default="", help="title of the study (default: its original title)")

    def act(self, **options: Any) -> None:
        dataset = Dataset.objects.filter(slug=options["dataset"]).first()
        if dataset is None:
            raise CommandError(f"There is no dataset {options['dataset']!r}. Import it and its predictions first.")
        try:
            restored = restore_study(
                responses=read_study_responses(options["folder"]),
                dataset=dataset,
                slug=options["study"],
                title=options["title"],
                dry_run=options["dry_run"],
            )
        except ImportRefused as refusal:
            problems = refusal.data.get("problems", [])
            for p in problems[:SHOWN]:
                place = f"{p['file']}, line {p['line']}" if p["line"] else p["file"]
                self.stderr.write(f"{place}, {p['field']}: {p['reason']} {p['value']} {p['remedy']}")
            raise
        if restored.changed and options["dry_run"]:
            what = f"study {restored.study.slug} with {restored.responses:,} responses"
            self.stdout.write(f"Dry run: {what} would be restored; nothing was written.")
        elif restored.changed:
            self.stdout.write(f"Study {restored.study.slug}: {restored.responses:,} responses restored.")
        else:
            self.stdout.write(
                f"Study {restored.study.slug} was already restored from these files: nothing was changed."
            )
        for note in restored.notes:
            self.stdout.write(note)
