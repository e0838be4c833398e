"""`manage.py bundle SLUG --out FILE`: a study as one archive that anyone can check."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.background.kept_files import write
from annotations.management.console import StudyCommand, actor_of
from metaeval.documents.making import document_chunks, file_name, was_taken_out
from metaeval.documents.models import DocumentKind


class Command(StudyCommand):
    help = "Write a study's data, plan, parameters, results, versions and checksums as a Frictionless data package."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--out",
            type=Path,
            metavar="FILE",
            help=("where to write it (default: SLUG-bundle.zip in the current folder)"),
        )
        parser.add_argument(
            "--with-texts", action="store_true", help=("include the texts of the instances: they may be confidential")
        )

    def act(self, **options: Any) -> None:
        study, with_texts = self.existing(options["study"]), options["with_texts"]
        path = options["out"] or Path(file_name(study, DocumentKind.BUNDLE))
        try:
            written = write(path, document_chunks(study, DocumentKind.BUNDLE, with_texts=with_texts))
        except OSError as error:
            raise CommandError(f"{path} could not be written: {error.strerror}.") from error
        was_taken_out(
            study=study,
            kind=DocumentKind.BUNDLE,
            with_texts=with_texts,
            actor=actor_of(options["by"]),
            sha256=written.sha256,
        )
        self.stdout.write(f"{path}  {written.size:,} bytes  sha256:{written.sha256}")
