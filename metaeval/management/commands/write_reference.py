"""`manage.py write_reference`: write docs/reference from the code (`make reference` writes the permissions too)."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from annotations.management.quick import QuickCommand
from metaeval.reference.pages import PageState, standings, write

FOLDER = Path(settings.BASE_DIR) / "docs" / "reference"


class Command(QuickCommand):
    help = "Write the reference in docs/reference from the code: metrics, training methods, analyses, and the rest."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--folder", type=Path, default=FOLDER, help="Where to write.")
        parser.add_argument("--check", action="store_true", help="Write nothing; fail when a page is not up to date.")

    def handle(self, *_: Any, folder: Path, check: bool, **__: Any) -> None:
        if not check:
            written = write(folder)
            self.stdout.write(f"Written: {', '.join(written)}" if written else "Up to date")
            return
        behind = {name: found for name, found in standings(folder).items() if found is not PageState.UP_TO_DATE}
        if behind:
            said = "; ".join(f"{name} {found}" for name, found in behind.items())
            raise CommandError(f"The reference is out of date: {said}. Run: make reference")
        self.stdout.write("Up to date")
