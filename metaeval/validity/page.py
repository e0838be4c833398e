"""docs/reference/validity.md: the newly computed sections, and those that stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from metaeval.validity.sections import ValiditySection, ValidityTable

HEAD = """\
# Do the numbers hold what they promise?

Written by `.venv/bin/python manage.py validity`, section by section (`manage.py validity NAME` computes one anew, and
leaves the others as they are; sections on real data take `--data DATA`). A section is one file in `metaeval/validity`.
Shares are in per cent, with the Monte-Carlo standard error of the simulation behind ±. A test of a true null hypothesis
at the 5% level should reject in 5%, and an interval of 95% should hold the truth in 95%.
"""

MARK = re.compile(r'^<a id="([a-z_0-9]+)"></a>$', re.MULTILINE)
NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?")


def page(found: Mapping[str, str], sections: Sequence[ValiditySection]) -> str:
    """The whole page, from the text of each section by its name; one that was never computed is missing."""
    entries = [f"- [{section.title}](#{section.name})" for section in sections if section.name in found]
    parts = [HEAD, "\n" + "\n".join(entries) + "\n"]
    return "".join([*parts, *(found[section.name] for section in sections if section.name in found)])


def section_text(section: ValiditySection, tables: Sequence[ValidityTable], simulations: int) -> str:
    """One section as on the page, with the command that computes it."""
    how = f"`manage.py validity {section.name}{' --data DATA' if section.needs_data else ''}`"
    many = (
        "" if section.needs_data else f", {max(1, simulations // section.one_in):,} simulated studies for each figure"
    )
    parts = [
        f'<a id="{section.name}"></a>\n## {section.title}',
        section.about.strip(),
        f"Computed by {how}{many}.",
        *(_table(table) for table in tables),
        section.finding.strip(),
    ]
    return "\n" + "\n\n".join(part for part in parts if part) + "\n"


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


def _table(table: ValidityTable) -> str:
    rows = [
        "| " + " | ".join(table.columns) + " |",
        "|" + "|".join(["---", *["---:"] * (len(table.columns) - 1)]) + "|",
        *("| " + " | ".join(row) + " |" for row in table.rows),
    ]
    return "\n".join([*([f"{table.caption}\n"] if table.caption else []), *rows])
