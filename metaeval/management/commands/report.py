"""`manage.py report SLUG --out FILE`: a study as one page to read, or on paper."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.management.studies import StudyCommand
from metaeval.documents.asking import was_taken_out
from metaeval.documents.making import document_chunks, write
from metaeval.documents.models import DocumentKind

KINDS = {".html": DocumentKind.REPORT_HTML, ".pdf": DocumentKind.REPORT_PDF}


class Command(StudyCommand):
    help = "Writes plan, people (as numbers), responses, results, figures, methods and limits of a study into one file."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--out", type=Path, metavar="FILE", action="append", required=True, help=".html or .pdf; repeatable"
        )

    def act(self, **options: Any) -> None:
        study = self.existing(options["study"])
        for path in options["out"]:
            kind = KINDS.get(path.suffix.lower())
            if kind is None:
                raise CommandError(f"{path.name} ends neither in .html nor in .pdf.")
            try:
                written = write(path, document_chunks(study, kind))
            except OSError as error:
                raise CommandError(f"{path} could not be written: {error.strerror}.") from error
            was_taken_out(
                study=study, kind=kind, with_texts=False, actor=self.actor(options["by"]), sha256=written.sha256
            )
            self.stdout.write(f"{path}  {written.size:,} bytes")
