"""Words that the figures of power share."""

from __future__ import annotations

from collections.abc import Iterable

from metaeval.analyses.power.result import GridCell


def planned_word(cells: Iterable[GridCell]) -> str:
    """What the star stands for, where there is one."""
    return " *: as planned." if any(cell.is_planned for cell in cells) else ""
