"""`manage.py verify_bundle FILE`: recompute every number of a bundle, and say what is equal and what differs."""

import argparse
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from tqdm import tqdm

from annotations.management.console import QuickCommand
from metaeval.analyses.base.registry import analyses
from metaeval.bundles.archive import MAX_BYTES
from metaeval.bundles.verifying import HOLDS, Equality, verify

EQUAL = "Everything is equal."

MAX_SECONDS = 4 * 3600.0
"""As long as a run may take (HLV_RUN_SECONDS)."""


@contextmanager
def ends_after(seconds: float) -> Iterator[None]:
    """End the program with a sentence if this takes longer: what an archive asks for may have no end.

    A thread ends it, because compiled code does not look for exceptions.
    """

    def end() -> None:
        sys.stderr.write(f"CommandError: This took longer than {seconds:g} seconds (--max-seconds).\n")
        sys.stderr.flush()
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class Command(QuickCommand):
    help = "Recompute every number of a bundle from its own data. Reads no database; exits with 1 if anything differs."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--tolerance",
            type=float,
            default=0.0,
            metavar="SHARE",
            help="how far numbers may differ, as a share of the larger one (default: 0, equal to the last digit)",
        )
        parser.add_argument(
            "--only", action="append", default=[], choices=analyses.names(), help="recompute this analysis; repeatable"
        )
        parser.add_argument(
            "--max-bytes", type=int, default=MAX_BYTES, help=("refuse archives larger than this when unpacked")
        )

        parser.add_argument(
            "--max-seconds", type=float, default=MAX_SECONDS, help="give up on archives that take longer"
        )

    def act(self, **options: Any) -> None:
        if not 0 <= options["tolerance"] < 1:
            raise CommandError("--tolerance is a share, from 0 to below 1.")
        with tqdm(total=1.0, disable=not sys.stderr.isatty(), leave=False, bar_format="{l_bar}{bar}| {desc}") as bar:

            def tell(done: int, total: int, message: str = "") -> None:
                bar.set_description_str(message, refresh=False)
                bar.update(done / (total or 1) - bar.n)

            with ends_after(options["max_seconds"]):
                found = verify(
                    options["file"],
                    tolerance=options["tolerance"],
                    only=options["only"],
                    max_bytes=options["max_bytes"],
                    progress=tell,
                )
        for finding in found:
            numbers = f" ({finding.numbers:,} numbers)" if finding.numbers else ""
            self.stdout.write(f"{finding.verdict:<20} {finding.what}{numbers}")
            for detail in finding.details:
                self.stdout.write(f"{'':<20}   {detail}")
        bad = sum(finding.verdict not in HOLDS for finding in found)
        if bad:
            raise CommandError(f"{bad} of {len(found)} are not equal.")
        corrected = sum(finding.verdict == Equality.CORRECTED for finding in found)
        self.stdout.write(
            (f"Everything is equal, except for what corrected rules change in {corrected} results (listed above).")
            if corrected
            else EQUAL
        )
