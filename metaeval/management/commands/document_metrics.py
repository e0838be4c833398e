"""`manage.py document_metrics`: write docs/metrics.md and its picture from the registry."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from metaeval.management.documenting import PICTURE, page, picture


class Command(BaseCommand):
    help = "Write docs/metrics.md and its picture from the registry of metrics."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--folder", type=Path, default=Path(settings.BASE_DIR) / "docs", help="Where to write.")
        parser.add_argument("--check", action="store_true", help="Write nothing; fail when a file is out of date.")

    def handle(self, *_: Any, folder: Path, check: bool, **__: Any) -> None:
        stale = []
        for path, text in ((folder / "metrics.md", page()), (folder / PICTURE, picture())):
            if path.exists() and path.read_text(encoding="utf-8") == text:
                continue
            stale.append(path.name)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        if check and stale:
            message = f"Out of date: {', '.join(stale)}. Run: .venv/bin/python manage.py document_metrics"
            raise CommandError(message)
        self.stdout.write(f"Written: {', '.join(stale)}" if stale else "Up to date")
