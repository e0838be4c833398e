"""The results of the analysis of agreement against the share of certain items."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.stats.uncertainty import Scale

RANDOM = "Random labeller"


class CertaintyPoint(Part):
    """Krippendorff's alpha if a share of the items is certain: means and standard deviations over repeats."""

    share: float = Field(description="Of items about which people are certain.")
    people: Number = Field(description="Among people.")
    machine: Number = Field(description="Between people's majority (or median) and the machine.")
    people_sd: Number
    machine_sd: Number
    person: Number = Field(
        default=None,
        description="Between one person and the majority (or median) of the others; earlier results had none.",
    )
    person_sd: Number = None
    repeats: int
    undefined: int = Field(description="Repeats without a value, which are left out.")
    reason: str = Field(description="Why there is no value; empty if there is one.")


class CertaintyCurve(Part):
    """A machine's agreement with people against the share of certain items."""

    name: str
    points: list[CertaintyPoint]
    below_from: float | None = Field(
        description="The smallest share of certain items at which the machine agrees less with people "
        "than they do among themselves; null if that is not so even at the largest share."
    )


class UncertaintySimulationFindings(Findings):
    """Agreement against the share of certain items."""

    machines: list[CertaintyCurve]
    scale: Scale
    items: str = Field(description="What the items are called.")


class UncertaintySimulationResult(UncertaintySimulationFindings, Result):
    """How human uncertainty affects agreement with a machine."""

    analysis: Literal["uncertainty_simulation"]
