"""Which predictions a figure of calibration shows."""

from __future__ import annotations

from metaeval.analyses.human_calibration.result import CalibratedEntry, HumanCalibrationResult
from metaeval.figures.registry import place_of, variants_of


def drawable(result: HumanCalibrationResult) -> list[CalibratedEntry]:
    """Systems, unscaled and scaled, that could be measured."""
    return [entry for entry in result.entries if entry.kind in {"system", "scaled"} and not entry.reason]


def variants(result: HumanCalibrationResult) -> list[str]:
    """One figure per system, if there are several."""
    return variants_of([entry.name for entry in drawable(result)])


def chosen(result: HumanCalibrationResult, variant: str, at_once: int) -> list[CalibratedEntry]:
    """The systems of a figure: the one of the variant, or the first few."""
    entries = drawable(result)
    return [entries[place_of(variant)]] if variant else entries[:at_once]


def others(result: HumanCalibrationResult, variant: str, at_once: int) -> list[str]:
    """A sentence about the systems that this figure leaves out; none if it shows all."""
    count = len(drawable(result))
    return [f"The first {at_once} of {count} systems."] if not variant and count > at_once else []
