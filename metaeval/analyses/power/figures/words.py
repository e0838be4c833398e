"""Words that the figures of power share."""

from __future__ import annotations

from collections.abc import Iterable

from metaeval.analyses.power.result import GridCell, UnitOfDesign


def planned_word(cells: Iterable[GridCell]) -> str:
    """What the star means, if there is one."""
    return " *: as planned." if any(cell.is_planned for cell in cells) else ""


def words_of_unit(unit: UnitOfDesign | None) -> list[str]:
    """The smallest possible p, and whether it is too large; nothing for results that do not say."""
    if unit is None:
        return []
    return [unit.warning or f"The smallest p that a test can give here is {unit.smallest_in_words}."]
