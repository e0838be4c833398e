"""Variants of a figure about something with a name of its own, such as a system: `scatter-2-roberta-base`."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 60


def variants_of(names: Sequence[str]) -> list[str]:
    """One variant per name, if there are several: its position from 1, and as much of the name as fits into a URL.

    >>> variants_of(["roberta / A", "Übung"]), variants_of(["alone"])
    (['1-roberta-A', '2-bung'], [])
    """
    if len(names) < 2:
        return []
    words = (re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:LONGEST] for name in names)
    return [f"{place}-{word}".rstrip("-.") for place, word in enumerate(words, start=1)]


def place_of(variant: str) -> int:
    """The position, from 0, of what a variant is about.

    >>> place_of("2-roberta-base")
    1
    """
    return int(variant.partition("-")[0]) - 1
