"""The parameters of the correlation of metrics with the experts' preference."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from metaeval.analyses.base.parameters import MetricNames, StudyParameters, choices
from metaeval.analyses.base.zero_division import ZeroDivision
from metaeval.analyses.inputs.fractions import Average, Both, Weights
from metaeval.stats import COEFFICIENTS, Alternative, Coefficient, TwoSided, Unit
from metaeval.stats.correlating.bootstrap import UNITS

FEWEST = 100
"""Resamples of which quantiles can be taken at all."""


class PreferenceCorrelation(StudyParameters):
    """Parameters of `preference_correlation`."""

    metrics: MetricNames = Field(
        default=[],
        title="Metrics",
        description="Names of the metrics to compare; none named: the six of the task.",
        json_schema_extra=choices("metrics"),
    )
    coefficients: list[Coefficient] = Field(
        default=list(COEFFICIENTS), min_length=1, title="Coefficients", description="Which correlations to compute."
    )
    permutations: int = Field(
        default=100_000,
        ge=100,
        le=10_000_000,
        title="Permutations",
        description="How many permutations to draw; when there are no more than that, all of them are listed.",
    )
    resamples: int = Field(
        default=1000,
        ge=0,
        le=10_000,
        title="Resamples",
        description=f"Bootstrap samples of the intervals, {FEWEST} or more; 0: no intervals.",
    )
    over: list[Unit] = Field(
        default=list(UNITS),
        min_length=1,
        title="Resample",
        description="What the intervals are over: systems, the comparisons of each, experts with all their responses.",
    )
    interval: Literal["bca", "percentile"] = Field(
        default="bca",
        title="Interval",
        description="The quantiles of the resamples, or corrected for skewness too (BCa).",
    )
    level: float = Field(default=0.95, ge=0.5, le=0.999, title="Level", description="Of the intervals.")
    exchanges: int = Field(
        default=10_000,
        ge=0,
        le=1_000_000,
        title="Exchanges",
        description="Of the paired test of two metrics, which exchanges their values of a system; 0: no such test.",
    )
    both: Both = Field(
        default="1",
        title="A response of “both” counts",
        description="What it adds to a system's preference fraction when both distributions were chosen.",
    )
    weights: Weights = Field(
        default="none",
        title="Weights",
        description="Whether responses count alike or by the certainty that the expert stated.",
    )
    average: Average = Field(
        default="responses",
        title="Average over",
        description="All responses of a system alike, or first within each comparison.",
    )
    instances: Literal["all", "shown"] = Field(
        default="all",
        title="Metric values on",
        description="The whole dataset, or for each system only the instances that experts judged.",
    )
    zero_division: ZeroDivision = Field(
        default="1", title="0/0 counts as", description="The F1 of a label that neither people nor the system use."
    )
    alternative: Alternative = Field(
        default="two-sided", title="Alternative", description="The tail of the permutation test."
    )
    two_sided: TwoSided = Field(
        default="double",
        title="Two-sided by",
        description="Twice the smaller tail (as SciPy does), or by the magnitude of the correlation.",
    )

    @field_validator("coefficients")
    @classmethod
    def _are_distinct(cls, names: list[Coefficient]) -> list[Coefficient]:
        return list(dict.fromkeys(names))

    @field_validator("over")
    @classmethod
    def _in_one_order(cls, units: list[Unit]) -> list[Unit]:
        return [unit for unit in UNITS if unit in units]

    @field_validator("resamples")
    @classmethod
    def _enough(cls, resamples: int) -> int:
        if 0 < resamples < FEWEST:
            msg = f"{resamples} resamples are too few for an interval; expected {FEWEST} or more, or 0 for none"
            raise ValueError(msg)
        return resamples
