"""The results of the analysis of power."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from annotations.ground.units import Exchangeable
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.parts import Number, Part

AssumedName = Literal["base", "spread", "instance_spread", "expert_spread", "likeness", "model_spread"]


class AssumedNumber(Part):
    """A number that the simulation needs, and where it comes from.

    On the scale of log-odds; `likeness` is a correlation, and `model_spread` a multiple of the systems' own spread.
    """

    name: AssumedName
    value: float
    source: Literal["given", "estimated from the responses", "assumed"]


class UnitOfDesign(Part):
    """What the test of such a study exchanges, and how small its p-value can be: known before there are data."""

    exchangeable: Exchangeable
    by_default: bool = Field(description="Whether it follows from models and methods; if not, it was chosen.")
    words: str = Field(description="What is exchanged and why, as a sentence.")
    models: int
    methods: int
    possible: Number = Field(
        description="How many arrangements there are; null if there are more than a number can hold exactly."
    )
    smallest_p: float = Field(description="No p-value of the simulated test can be smaller, whatever the data are.")
    smallest_in_words: str = Field(description="The same, with two significant digits.")
    warning: str = Field(description="A note if it is above the level, and what to add; empty otherwise.")

    @property
    def sentences(self) -> list[str]:
        """Everything that a reader must know, in order."""
        said = (
            f"How chance is judged. {self.words} The smallest p that a test can give here is {self.smallest_in_words}."
        )
        return [said, *([self.warning] if self.warning else [])]


class PointOfPower(Part):
    """The share of simulated studies that find one true correlation, with limits for the simulation's error."""

    correlation: float
    power: float
    low: float
    high: float
    mean_observed: Number = Field(description="The coefficient that such studies show on average.")


class PowerOfDesign(Part):
    """Power at the requested correlation, and over all correlations."""

    power: Number
    low: Number
    high: Number
    mean_observed: Number
    smallest: Number = Field(description="The smallest correlation that is detected as often as requested.")
    reason: str = Field(description="Why there is none; empty if there is one.")
    curve: list[PointOfPower]


class GridCell(PowerOfDesign):
    """The power of studies with these numbers of instances and experts."""

    instances: int = Field(description="Per system.")
    experts_per_comparison: int
    is_planned: bool


class ObservedPower(PowerOfDesign):
    """What the responses could have shown, and the variance components of their noise."""

    mean: float
    between_systems: float
    between_comparisons: float
    between_experts: float
    within: float
    noise: float
    reliability: Number = Field(
        description="The share of the fractions' variance that is due to the systems themselves."
    )
    systems: int
    comparisons: int
    experts: int
    responses: int
    notes: list[str]
    unit: UnitOfDesign | None = Field(
        default=None,
        description="About the systems that were judged; null in version 1, when it was any two systems.",
    )


class PowerFindings(Findings):
    """The probability of finding a correlation."""

    systems: int
    experts: int
    assumptions: list[AssumedNumber]
    correlations: list[float]
    cells: list[GridCell]
    observed: ObservedPower | None = Field(description="null if there are not enough responses.")
    unit: UnitOfDesign | None = Field(
        default=None, description="About all cells of the grid; null in version 1, when it was any two systems."
    )


class PowerResult(PowerFindings, Result):
    """Power of a study."""

    analysis: Literal["power"]
