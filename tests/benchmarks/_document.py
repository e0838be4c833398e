"""Writes docs/reference/performance.md from fresh runs of the benchmarks.

    python -m tests.benchmarks._document            every benchmark, on a machine that does nothing else
    python -m tests.benchmarks._document metrics    only this one; the other sections stay as they are

A section is what its benchmark printed, nothing added. Fails when a benchmark misses a target of its own.
"""

import argparse
import datetime
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "performance.md"
INTRODUCTION = """\
# Performance

Written by `python -m tests.benchmarks._document`, which runs every benchmark of `tests/benchmarks` in a process of its
own (`make bench` prints the same tables). The contestants of a row take turns, so that whatever else the machine does
hits both; times are medians, and *times faster* is the median of the ratios of the pairs. *At least* is the target
that fails the benchmark when it is missed. *The loop of `make test`* tells machines apart: it takes 0.20 s on a fast
one, and 0.55 s on one that others keep busy.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="benchmarks to run anew (default: all)")
    names = parser.parse_args().names or available()
    sections = read(PAGE.read_text()) if PAGE.exists() else {}
    code = 0
    for name in names:
        print(f"{name} ...", flush=True)
        run = subprocess.run(
            [sys.executable, "-m", f"tests.benchmarks.{name}"], cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True
        )
        code = max(code, run.returncode)
        sections[name] = section(name, run.stdout, datetime.datetime.now(datetime.UTC).date())
    PAGE.write_text(written({name: sections[name] for name in available() if name in sections}))
    return code


def available() -> list[str]:
    """The benchmarks there are."""
    folder = Path(__file__).parent
    return sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))


def section(name: str, printed: str, day: datetime.date) -> str:
    """What a benchmark printed, under its first line as the heading.

    >>> print(section("metrics", "\\nMetrics\\nx86_64, 2 cores\\n\\n| work |\\n", datetime.date(2026, 11, 20)))
    ## Metrics
    <BLANKLINE>
    `python -m tests.benchmarks.metrics`, 2026-11-20, x86_64, 2 cores
    <BLANKLINE>
    | work |
    """
    title, machine, *rest = printed.strip().splitlines() or ["", ""]
    body = "\n".join(rest).strip()
    return f"## {title or name}\n\n`python -m tests.benchmarks.{name}`, {day}, {machine}\n\n{body}"


def written(sections: dict[str, str]) -> str:
    """The page."""
    return "\n".join([INTRODUCTION, *(f"{text}\n" for text in sections.values())])


def read(page: str) -> dict[str, str]:
    """The sections of a page that `written` made, by the benchmark each names in its second paragraph."""
    found = {}
    for text in re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]:
        name = re.search(r"`python -m tests\.benchmarks\.(\w+)`", text)
        if name:
            found[name[1]] = text.strip()
    return found


if __name__ == "__main__":
    sys.exit(main())
