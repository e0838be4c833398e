"""Which predictions a figure of calibration shows."""

from __future__ import annotations

from typing import Any

Result = dict[str, Any]


def drawable(result: Result) -> list[dict[str, Any]]:
    """Systems, as they are and scaled, that could be measured."""
    return [entry for entry in result["entries"] if entry["kind"] in {"system", "scaled"} and not entry["reason"]]


def variants(result: Result) -> list[str]:
    """One figure a system where there are several: their places from 1, for names need not fit an address."""
    count = len(drawable(result))
    return [str(place + 1) for place in range(count)] if count > 1 else []


def chosen(result: Result, variant: str, at_once: int) -> list[dict[str, Any]]:
    """The systems of a figure: the one of the variant, or the first few."""
    entries = drawable(result)
    return [entries[int(variant) - 1]] if variant else entries[:at_once]


def others(result: Result, variant: str, at_once: int) -> list[str]:
    """A sentence about the systems that this figure leaves away; none where it shows all."""
    count = len(drawable(result))
    return [f"The first {at_once} of {count} systems."] if not variant and count > at_once else []
