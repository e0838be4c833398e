"""docs/reliability.md: a row for each scenario, written by the command that ran it; the other rows stay."""

import datetime
import re
from collections.abc import Sequence
from pathlib import Path

from tests.faults.load import Outcome

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
INTRODUCTION = """\
# Reliability

Written by `python -m tests.faults --write`; `--help` says what is harmed and checked.
"""
LIMITS = """\
Silence: the longest time after a fault in which no answer was acknowledged. Not covered: loss of power and of disks
(only processes are killed), several machines, the clocks of PostgreSQL, Redis and the kernel.
"""
HEAD = """\
| scenario | day | faults | acknowledged | lost | doubled | silence, s | |
|---|---|---:|---:|---:|---:|---:|---|
"""


def row_of(outcome: Outcome) -> str:
    """One row of the table.

    >>> row_of(Outcome("x", "X", missing="no root")).partition(" | not run")[2]
    ': no root | <!-- x -->'
    """
    day = datetime.datetime.now(datetime.UTC).date()
    if outcome.missing:
        return f"| {outcome.title} | {day} | | | | | | not run: {outcome.missing} | <!-- {outcome.name} -->"
    silence = "" if outcome.silence is None else f"{outcome.silence:.1f}"
    said = "holds" if outcome.holds else f"FAILED: {'; '.join(outcome.problems)}".replace("|", " ")
    return (
        f"| {outcome.title} | {day} | {outcome.times} | {outcome.acknowledged:,} | {outcome.lost} | {outcome.doubled} "
        f"| {silence} | {said} | <!-- {outcome.name} -->"
    )


def rows_in(page: str) -> dict[str, str]:
    """The rows of a page, by scenario."""
    return {row[2]: row[1] for row in re.finditer(r"^(\|.*<!-- (\w+) -->)$", page, re.MULTILINE)}


def written(rows: dict[str, str], *, order: Sequence[str]) -> str:
    """The page."""
    table = HEAD + "".join(f"{rows[name]}\n" for name in order if name in rows)
    return f"{INTRODUCTION}\n<!-- faults -->\n{table}\n{LIMITS}<!-- /faults -->\n"


def write(outcome: Outcome, *, order: Sequence[str], page: Path = PAGE) -> None:
    """Write a scenario's row anew, and leave the others as they are."""
    rows = rows_in(page.read_text(encoding="utf-8")) if page.exists() else {}
    page.write_text(written({**rows, outcome.name: row_of(outcome)}, order=order), encoding="utf-8")
