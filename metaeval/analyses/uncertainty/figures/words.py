"""What people's and machines' labels are called in figures, and which machines a figure shows."""

from __future__ import annotations

from typing import Any

from metaeval.figures.variants import place_of, variants_of

Result = dict[str, Any]


def variants(result: Result) -> list[str]:
    """One figure a machine where there are several."""
    return variants_of([machine["name"] for machine in result["machines"]])


def chosen(result: Result, variant: str, at_once: int) -> list[str]:
    """The machines of a figure: the one of the variant, or the first few.

    >>> chosen({"machines": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}, "", 2)
    ['a', 'b']
    """
    names = [machine["name"] for machine in result["machines"]]
    return [names[place_of(variant)]] if variant else names[:at_once]


def others(result: Result, variant: str, at_once: int) -> list[str]:
    """A sentence about the machines that this figure leaves away; none where it shows all."""
    count = len(result["machines"])
    if variant or count <= at_once:
        return []
    return [f"The first {at_once} of {count} machines." if at_once > 1 else f"The first of {count} machines."]


def typical(result: Result) -> str:
    """What stands for an item's labels.

    >>> typical({"scale": "nominal"})
    'majority'
    """
    return "median" if result["scale"] == "ordinal" else "majority"


def partition(row: dict[str, Any]) -> str:
    """The partition's name, with how many items it has."""
    name = "All" if row["grouping"] == "all" else row["partition"].replace("<=", "≤")
    return f"{name} ({row['items']:,})"
