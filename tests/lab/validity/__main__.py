"""`python -m tests.lab.validity`: compute sections of docs/reference/validity.md; the others stay as they are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.lab import PAGES_FOLDER
from tests.lab.validity.blinding import learned_leak_by_number, next_side, ways_to_draw
from tests.lab.validity.sections import Effort, page, read_sections
from tests.lab.validity.statistics import (
    intervals,
    tested_statistic,
    two_metrics,
    unit_of_analysis,
    wilcoxon_clusters,
)

PAGE = PAGES_FOLDER / "validity.md"
SECTIONS = (
    unit_of_analysis,
    tested_statistic,
    two_metrics,
    intervals,
    wilcoxon_clusters,
    next_side,
    ways_to_draw,
    learned_leak_by_number,
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.validity", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="sections (default: all that need no data)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="the folder of the real files")
    parser.add_argument("--simulations", type=int, default=Effort.simulations, metavar="N")
    parser.add_argument("--out", type=Path, default=PAGE, metavar="FILE", help="the page to write into")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - {section.name for section in SECTIONS}:
        parser.error(f"{', '.join(unknown)}: the sections are {', '.join(section.name for section in SECTIONS)}")
    if options.simulations < 2:
        parser.error(f"--simulations {options.simulations}: at least 2")
    if options.data and not options.data.is_dir():
        parser.error(f"{options.data} is not a folder")
    requested = [section for section in SECTIONS if section.name in options.names or not options.names]
    sections = [section for section in requested if options.data or not section.needs_data]
    if options.names and sections != requested:
        parser.error("a section on real files takes --data DIR")
    effort = Effort(options.simulations, data=options.data or Path())
    texts = read_sections(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    for section in sections:
        print(f"{section.title} ...", file=sys.stderr)
        texts[section.name] = section.text(section.tables(effort), options.simulations)
    options.out.write_text(page(texts, SECTIONS), encoding="utf-8")
    print(f"{options.out}: {len(sections)} of {len(SECTIONS)} sections")


if __name__ == "__main__":
    main()
