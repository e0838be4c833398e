"""What the analysis of power finds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.parts import Number, Part

AssumedName = Literal["base", "spread", "instance_spread", "expert_spread"]


class AssumedNumber(Part):
    """A number on the scale of log-odds that the simulation needs, and where it is from."""

    name: AssumedName
    value: float
    source: Literal["given", "estimated from the responses", "assumed"]


class PointOfPower(Part):
    """The share of simulated studies that find one true correlation, with limits for the simulation's error."""

    correlation: float
    power: float
    low: float
    high: float
    mean_observed: Number = Field(description="The coefficient that such studies show on average.")


class PowerOfDesign(Part):
    """Power at the one correlation that was asked for, and over all of them."""

    power: Number
    low: Number
    high: Number
    mean_observed: Number
    smallest: Number = Field(description="The smallest correlation that is found as often as was wanted.")
    reason: str = Field(description="Why there is none; empty where there is one.")
    curve: list[PointOfPower]


class GridCell(PowerOfDesign):
    """Of studies with so many instances and experts."""

    instances: int = Field(description="Of a system.")
    experts_per_comparison: int
    is_planned: bool


class ObservedPower(PowerOfDesign):
    """What the responses could have shown, and the variances of a response that make up their noise."""

    mean: float
    between_systems: float
    between_comparisons: float
    between_experts: float
    within: float
    noise: float
    reliability: Number = Field(description="The share of the fractions' variance that is the systems' own.")
    systems: int
    comparisons: int
    experts: int
    responses: int
    notes: list[str]


class PowerFindings(Findings):
    """The chance to find a correlation."""

    systems: int
    experts: int
    assumptions: list[AssumedNumber]
    correlations: list[float]
    cells: list[GridCell]
    observed: ObservedPower | None = Field(description="null: there are not enough responses.")


class PowerResult(PowerFindings, Result):
    """Power of a study."""

    analysis: Literal["power"]
