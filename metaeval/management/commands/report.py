"""`manage.py report SLUG --out FILE`: a study as one page to read, on paper, in Word, or as LaTeX."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.background.kept_files import write
from annotations.management.console import StudyCommand, actor_of
from metaeval.documents.making import document_chunks, was_taken_out, write_folder
from metaeval.documents.models import DocumentKind

KINDS = {kind.removeprefix("report_"): kind for kind in DocumentKind if kind != DocumentKind.BUNDLE}
ENDINGS = {".html": "html", ".pdf": "pdf", ".zip": "latex", ".docx": "docx"}
"""The format by file extension, if none is given."""


class Command(StudyCommand):
    help = "Write a study's plan, people (as numbers), responses, results, figures, methods and limits into one file."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--out",
            type=Path,
            metavar="FILE",
            action="append",
            required=True,
            help=".html, .pdf, .docx (Word), or .zip (LaTeX); repeatable",
        )
        parser.add_argument(
            "--format",
            choices=sorted(KINDS),
            help=("what to write, whatever the file's ending; latex into FILE without the ending .zip makes a folder"),
        )

    def act(self, **options: Any) -> None:
        study = self.existing(options["study"])
        for path in options["out"]:
            ending = options["format"] or ENDINGS.get(path.suffix.lower())
            if ending is None:
                raise CommandError(
                    f"{path.name} does not end in any of {', '.join(ENDINGS)}. Give --format, or another ending."
                )
            kind = KINDS[ending]
            chunks = document_chunks(study, kind)
            try:
                if kind == DocumentKind.REPORT_LATEX and path.suffix.lower() != ".zip":
                    written = write_folder(path, chunks)
                else:
                    written = write(path, chunks)
            except OSError as error:
                raise CommandError(f"{path} could not be written: {error.strerror}.") from error
            was_taken_out(
                study=study, kind=kind, with_texts=False, actor=actor_of(options["by"]), sha256=written.sha256
            )
            self.stdout.write(f"{path}  {written.size:,} bytes")
