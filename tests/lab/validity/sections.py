"""The sections of docs/reference/validity.md: what each declares, and how the page is written and read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HEAD = """\
# Do the numbers hold what they promise?

Written by `python -m tests.lab.validity`, section by section (`python -m tests.lab.validity NAME` computes one anew,
and leaves the others as they are; sections on real data take `--data DATA`). A section is a function in
`tests/lab/validity`. Shares are in per cent, with the Monte-Carlo standard error of the simulation behind ±. A test of
a true null hypothesis at the 5% level should reject in 5%, and an interval of 95% should hold the truth in 95%.
"""

MARK = re.compile(r'^<a id="([a-z_0-9]+)"></a>$', re.MULTILINE)
NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Table:
    """A table of a section. Numbers, and shares with their errors, are written by `share` and similar functions."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Effort:
    """The effort: `simulations` of each kind, and the folder of real files for sections that read them."""

    simulations: int = 2000
    seed: int = 1
    data: Path = Path()


Tables = Callable[[Effort], list[Table]]


@dataclass(frozen=True)
class Section:
    """A question, what was simulated or measured to answer it, what the answer means, and how it is computed."""

    name: str
    title: str
    about: str
    finding: str
    tables: Tables = field(repr=False)
    needs_data: bool = False
    one_in: int = 1
    """For slow sections: one simulation is run for every so many requested."""

    def text(self, tables: Sequence[Table], simulations: int) -> str:
        """The section as on the page, with the command that computes it."""
        how = f"`python -m tests.lab.validity {self.name}{' --data DATA' if self.needs_data else ''}`"
        many = "" if self.needs_data else f", {max(1, simulations // self.one_in):,} simulated studies for each figure"
        parts = [
            f'<a id="{self.name}"></a>\n## {self.title}',
            self.about.strip(),
            f"Computed by {how}{many}.",
            *map(_table, tables),
            self.finding.strip(),
        ]
        return "\n" + "\n\n".join(part for part in parts if part) + "\n"


def section(
    *, title: str, about: str, finding: str, needs_data: bool = False, one_in: int = 1
) -> Callable[[Tables], Section]:
    """Make a section of the decorated function, whose name is the section's.

    `about` comes before the tables and says what was done, `finding` comes after them and says what it means, in words
    that stay true if the last digits change.
    """
    return lambda tables: Section(tables.__name__, title, about, finding, tables, needs_data, one_in)


def share(count: float, of: int) -> str:
    """A share in per cent with its Monte Carlo standard error.

    >>> share(100, 2000)
    '5.0 ± 0.5'
    """
    p = count / of
    return f"{100 * p:.1f} ± {100 * math.sqrt(p * (1 - p) / of):.1f}"


def page(texts: Mapping[str, str], sections: Sequence[Section]) -> str:
    """The whole page, from the text of each section by its name; one that was never computed is missing."""
    computed = [section for section in sections if section.name in texts]
    entries = "\n".join(f"- [{section.title}](#{section.name})" for section in computed)
    return "".join([HEAD, f"\n{entries}\n", *(texts[section.name] for section in computed)])


def read_sections(text: str) -> dict[str, str]:
    """The sections of a page by their names, unchanged."""
    starts = [*MARK.finditer(text)]
    ends = [*(start.start() for start in starts[1:]), len(text) + 1]
    return {
        start[1]: "\n" + text[start.start() : end - 1].rstrip("\n") + "\n"
        for start, end in zip(starts, ends, strict=True)
    }


def form(text: str) -> str:
    """A page without its numbers: this part must be the same on the page and in what the code would write.

    >>> form("| free | 20.5 ± 0.9 |") == form("| free | 9 ± 0.25 |")
    True
    """
    return NUMBER.sub("#", text)


def _table(table: Table) -> str:
    rows = [
        "| " + " | ".join(table.columns) + " |",
        "|" + "|".join(["---", *["---:"] * (len(table.columns) - 1)]) + "|",
        *("| " + " | ".join(row) + " |" for row in table.rows),
    ]
    return "\n".join([*([f"{table.caption}\n"] if table.caption else []), *rows])
