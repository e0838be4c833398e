"""What people's and machines' labels are called in figures, and which machines a figure shows."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.analyses.uncertainty.result import PartitionOfItems
from metaeval.figures.registry import place_of
from metaeval.stats.uncertainty import Scale


def chosen(machines: Sequence[str], variant: str, at_once: int) -> list[str]:
    """The machines of a figure: the one of the variant, or the first few.

    >>> chosen(["a", "b", "c"], "", 2)
    ['a', 'b']
    """
    return [machines[place_of(variant)]] if variant else list(machines[:at_once])


def others(machines: Sequence[str], variant: str, at_once: int) -> list[str]:
    """A sentence about the machines that this figure leaves out; none if it shows all."""
    count = len(machines)
    if variant or count <= at_once:
        return []
    return [f"The first {at_once} of {count} machines." if at_once > 1 else f"The first of {count} machines."]


def typical(scale: Scale) -> str:
    """What represents an item's labels.

    >>> typical("nominal")
    'majority'
    """
    return "median" if scale == "ordinal" else "majority"


def partition(row: PartitionOfItems) -> str:
    """The partition's name, with how many items it has."""
    name = "All" if row.grouping == "all" else row.partition.replace("<=", "≤")
    return f"{name} ({row.items:,})"
