"""`manage.py reproduce --data DIR`: compute published figures from the real files; write
docs/reference/reproductions.md."""

from __future__ import annotations

import os
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import setup_databases, teardown_databases

from annotations.ground.errors import HLVError
from annotations.management.quick import QuickCommand
from metaeval.reproductions.bench import Bench
from metaeval.reproductions.figures import reproductions
from metaeval.reproductions.page import page

PAGE = Path(settings.BASE_DIR) / "docs" / "reference" / "reproductions.md"


class Command(QuickCommand):
    help = "Compute published figures through the analyses, in a database of its own, and write both side by side."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the folder of the real files")
        parser.add_argument("--golden", type=Path, metavar="DIR", help="the published figures (default: DIR/../golden)")
        parser.add_argument("--out", type=Path, default=PAGE, metavar="FILE", help="where to write the page")

    def handle(self, *_: Any, data: Path, golden: Path | None, out: Path, **__: Any) -> None:
        golden = golden or data.parent / "golden"
        for folder in (data, golden):
            if not folder.is_dir():
                raise CommandError(f"{folder} is not a folder.")
        with tempfile.TemporaryDirectory() as made, own_database(Path(made)):
            bench = Bench(data=data, golden=golden, work=Path(made))
            entries = list(reproductions)
            found = {}
            for entry in entries:
                self.stderr.write(f"{entry.title} ...")
                try:
                    found[entry.name] = entry.figures(bench)
                except HLVError as error:
                    raise CommandError(f"{entry.title}: {error.message}") from error
        out.write_text(page(found, entries), encoding="utf-8")
        differ = sum(not figure.agrees for figures in found.values() for figure in figures)
        self.stdout.write(f"{out}: {sum(map(len, found.values()))} figures, {differ} differ")


@contextmanager
def own_database(folder: Path) -> Iterator[None]:
    """A new database with all tables, as in tests; the real one is untouched, and this one is deleted afterwards."""
    # On SQLite a file, not memory: the thread that keeps a job's lease opens it, too.
    name = f"hlv_reproduce_{os.getpid()}"
    if connection.vendor == "sqlite":
        name = str(folder / name)
    connection.settings_dict["TEST"] = {**connection.settings_dict["TEST"], "NAME": name}
    before = setup_databases(verbosity=0, interactive=False)
    try:
        yield
    finally:
        teardown_databases(before, verbosity=0)
