"""Compile Django's part of the catalogues: `python compile_catalogues.py` writes a django.mo beside each django.po.

The pages compile their own part when they are built. Run it in the virtual environment, because it needs polib.
"""

import os
from pathlib import Path

import polib

LOCALES = Path(__file__).resolve().parents[2] / "locale"


def compile_catalogues(folder: Path = LOCALES) -> list[Path]:
    """Write what is missing or older than its source; returns the files written.

    Only messages used in Python files are kept: the pages' would only make every server process larger.
    """
    written = []
    for source in sorted(folder.glob("*/LC_MESSAGES/django.po")):
        target = source.with_suffix(".mo")
        is_fresh = target.exists() and target.stat().st_mtime >= source.stat().st_mtime
        if is_fresh:
            continue
        catalogue = polib.pofile(str(source))
        for entry in [entry for entry in catalogue if not any(file.endswith(".py") for file, _ in entry.occurrences)]:
            catalogue.remove(entry)
        # Atomically, because another process may be reading the old one.
        unfinished = target.with_suffix(f".{os.getpid()}.tmp")
        catalogue.save_as_mofile(str(unfinished))
        unfinished.replace(target)
        written.append(target)
    return written


if __name__ == "__main__":
    for path in compile_catalogues():
        print(path)
