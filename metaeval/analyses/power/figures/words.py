"""Words that the figures of power share."""

from __future__ import annotations

from typing import Any


def planned_word(cells: list[dict[str, Any]]) -> str:
    """What the star stands for, where there is one.

    >>> planned_word([{"is_planned": True, "power": 0.5}])
    ' *: as planned.'
    """
    return " *: as planned." if any(cell["is_planned"] for cell in cells) else ""
