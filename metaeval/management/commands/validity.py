"""`manage.py validity [NAME ...]`: recompute sections of docs/reference/validity.md; the others stay as they are."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from annotations.ground.errors import HLVError
from annotations.management.quick import QuickCommand
from metaeval.validity.page import page, read_sections, section_text
from metaeval.validity.sections import Effort, ordered_sections, validity_sections

PAGE = Path(settings.BASE_DIR) / "docs" / "reference" / "validity.md"


class Command(QuickCommand):
    help = "Simulate what tests, intervals and plans promise, and write sections of docs/reference/validity.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME", help="sections (default: all that need no data)")
        parser.add_argument("--data", type=Path, metavar="DIR", help="the folder of the real files")
        parser.add_argument("--simulations", type=int, default=Effort.simulations, metavar="N")
        parser.add_argument("--out", type=Path, default=PAGE, metavar="FILE", help="the page to write into")

    def handle(self, *_: Any, names: list[str], data: Path | None, simulations: int, out: Path, **__: Any) -> None:
        if simulations < 2:
            raise CommandError(f"--simulations {simulations}: at least 2.")
        if data is not None and not data.is_dir():
            raise CommandError(f"{data} is not a folder.")
        sections = ordered_sections()
        try:
            asked = [validity_sections.get(name) for name in names] if names else sections
        except HLVError as error:
            raise CommandError(error.message) from error
        found = read_sections(out.read_text(encoding="utf-8")) if out.exists() else {}
        for section in asked:
            if section.needs_data and data is None and not names:
                self.stderr.write(f"{section.title}: left as it is because it reads real files (--data DIR)")
                continue
            self.stderr.write(f"{section.title} ...")
            try:
                tables = section.tables(Effort(simulations=simulations, data=data))
            except HLVError as error:
                raise CommandError(f"{section.title}: {error.message}") from error
            found[section.name] = section_text(section, tables, simulations)
        out.write_text(page(found, sections), encoding="utf-8")
        self.stdout.write(f"{out}: {len(asked)} of {len(sections)} sections")
