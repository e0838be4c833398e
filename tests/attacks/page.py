"""The table of docs/security.md, from what a run of the tests told. The rest of that page is written by people."""

import datetime
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.attacks.rows import ROWS, Row

PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"
SECTION = re.compile(r"(?<=^<!-- attacks -->\n).*?(?=^<!-- /attacks -->$)", re.DOTALL | re.MULTILINE)
HEAD = "| found | closed by | tried | outcome |\n|---|---|---|---|\n"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the tests of a row ended."""

    row: Row
    tests: Mapping[str, Mapping[str, Any]]

    def of(self, outcome: str) -> list[str]:
        return [name for name, told in self.tests.items() if told["outcome"] == outcome]

    @property
    def holds(self) -> bool:
        return bool(self.of("passed")) and not self.of("failed") and not self.of("skipped")

    @property
    def said(self) -> str:
        """In a few words, which also name what was left out."""
        if not self.tests:
            return "NOT RUN"
        parts = [f"{len(self.of('passed'))} of {len(self.tests)} tests pass"]
        parts += [f"FAILED: {name.rpartition('::')[2]}" for name in self.of("failed")]
        parts += [f"not run: {self.tests[name]['why'].removeprefix('Skipped: ')}" for name in self.of("skipped")]
        return "; ".join(dict.fromkeys(parts))

    @property
    def tried(self) -> str:
        """What the tests say that they tried: 6 times 200 of something, or 3,000 of something in all.

        >>> told = {"outcome": "passed", "why": "", "tried": [[200, "slow clients"]]}
        >>> Outcome(ROWS[0], {"a": told, "b": told}).tried
        '2 × 200 slow clients'
        >>> Outcome(ROWS[0], {"a": told, "b": {**told, "tried": [[1000, "slow clients"], [7, "words"]]}}).tried
        '1,200 slow clients, 7 words'
        """
        counts: dict[str, list[int]] = defaultdict(list)
        for told in self.tests.values():
            for count, what in told["tried"]:
                counts[what].append(count)
        return ", ".join(
            f"{len(found)} × {found[0]:,} {what}"
            if len(found) > 1 and len(set(found)) == 1
            else f"{sum(found):,} {what}"
            for what, found in counts.items()
        )


def outcomes(tests: Mapping[str, Mapping[str, Any]], rows: Sequence[Row] = ROWS) -> list[Outcome]:
    """The tests of a run, row by row."""
    return [Outcome(row, {name: told for name, told in tests.items() if belongs(name, row)}) for row in rows]


def belongs(test: str, row: Row) -> bool:
    """Whether a test, by its pytest id, is one of the row's.

    >>> belongs("tests/deploy/test_slow_clients.py::test_it[x]", ROWS[0])
    True
    """
    return any(test == one or test.startswith((f"{one}::", f"{one}[")) for one in row.tests)


def table(found: Sequence[Outcome], *, database: str, machine: str, command: str) -> str:
    """The table with the day and the machine it comes from."""
    day = datetime.datetime.now(datetime.UTC).date()
    rows = "".join(
        f"| {one.row.found} | {one.row.closed_by}; {', '.join(linked(test) for test in one.row.tests)} "
        f"| {one.tried} | {one.said.replace('|', ' ')} |\n"
        for one in found
    )
    return f"`{command}`, {day}, {machine}, {database}\n\n{HEAD}{rows}"


def linked(test: str) -> str:
    """A link from the page to the file of a test.

    >>> linked("tests/deploy/test_slow_clients.py::test_it")
    '[test_slow_clients](../tests/deploy/test_slow_clients.py)'
    """
    file = test.partition("::")[0]
    return f"[{Path(file).stem}](../{file})"


def write(section: str, page: Path = PAGE) -> None:
    """Put the table into the page, and leave what people wrote as it is."""
    text = page.read_text(encoding="utf-8")
    if not SECTION.search(text):
        raise LookupError(f"{page.name} has no place for the table: <!-- attacks --> and <!-- /attacks -->")
    page.write_text(SECTION.sub(lambda _: section, text), encoding="utf-8")
