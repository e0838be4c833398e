"""`python -m tests.lab.reproductions --data DIR`: compute published figures through the analyses, in a database of its
own, and write both side by side."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from django.test.utils import setup_databases, teardown_databases

from tests.lab import PAGES_FOLDER
from tests.lab.reproductions.bench import Bench
from tests.lab.reproductions.figures import page
from tests.lab.reproductions.metrics import calibration_on_chaosnli, lewidi_2025, table_2_of_metrics
from tests.lab.reproductions.uncertainty import (
    agreement_of_people,
    binned_divergence,
    certainty_on_mt_bench,
    people_and_gpt4_on_mt_bench,
    random_labeller,
)

PAGE = PAGES_FOLDER / "reproductions.md"
REPRODUCTIONS = (
    agreement_of_people,
    binned_divergence,
    calibration_on_chaosnli,
    certainty_on_mt_bench,
    lewidi_2025,
    people_and_gpt4_on_mt_bench,
    random_labeller,
    table_2_of_metrics,
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.reproductions", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the folder of the real files")
    parser.add_argument("--golden", type=Path, metavar="DIR", help="the published figures (default: DIR/../golden)")
    parser.add_argument("--out", type=Path, default=PAGE, metavar="FILE", help="where to write the page")
    options = parser.parse_args(arguments)
    golden = options.golden or options.data.parent / "golden"
    for folder in (options.data, golden):
        if not folder.is_dir():
            parser.error(f"{folder} is not a folder")
    databases = setup_databases(verbosity=0, interactive=False)
    try:
        with tempfile.TemporaryDirectory() as work:
            write_page(Bench(data=options.data, golden=golden, work=Path(work)), options.out)
    finally:
        teardown_databases(databases, verbosity=0)


def write_page(bench: Bench, out: Path) -> None:
    figures_of = {}
    for entry in REPRODUCTIONS:
        print(f"{entry.title} ...", file=sys.stderr)
        figures_of[entry] = entry.figures(bench)
    out.write_text(page(figures_of), encoding="utf-8")
    figures = [figure for group in figures_of.values() for figure in group]
    print(f"{out}: {len(figures)} figures, {sum(not figure.agrees for figure in figures)} differ")


if __name__ == "__main__":
    main()
