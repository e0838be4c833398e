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


def shown_in(names: Sequence[str], variant: str, most: int) -> list[str]:
    """What a figure shows: what its variant is about, or the first few.

    >>> shown_in(["a", "b", "c"], "", 2), shown_in(["a", "b", "c"], "3-c", 2)
    (['a', 'b'], ['c'])
    """
    return [names[place_of(variant)]] if variant else list(names[:most])


def note_on_others(names: Sequence[str], variant: str, most: int, what: str) -> list[str]:
    """A sentence about what the figure does not show although it has no variant; none if it shows all."""
    if variant or len(names) <= most:
        return []
    return [f"The first {most} of {len(names)} {what}." if most > 1 else f"The first of {len(names)} {what}."]
