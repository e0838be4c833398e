"""What the correlation of metrics with the experts' preference finds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.measured import BootstrapInterval, DescribedMetric, MeasuredValue
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.stats import Alternative, Coefficient, TwoSided, Unit


class JudgedSystem(Part):
    """A system: how often experts chose its distribution, and what every metric says of it."""

    system: str
    fraction: Number = Field(description="The preference fraction: the share of its responses that chose it.")
    responses: int
    chosen: int = Field(description="Responses that chose it, alone or with the other.")
    both: int = Field(description="Responses that chose it and the other.")
    comparisons: int
    reason: str = Field(description="Why it has no preference fraction; empty where it has one.")
    model: str
    method: str
    run: str
    metrics: dict[str, MeasuredValue]


class CorrelationBounds(BootstrapInterval):
    """The interval of a correlation."""

    over: list[Unit] = Field(description="What was resampled.")
    notes: list[str]


class CorrelationOfMetric(Part):
    """A metric's correlation with the preference fractions, over systems, and its permutation test."""

    metric: str
    coefficient: Coefficient
    value: Number
    n: int = Field(description="Systems that count.")
    p_value: Number
    p_error: Number = Field(description="Monte Carlo standard error of p; 0 where every permutation was listed.")
    p_family: Number = Field(description="Step-down max-T, over the metrics of the coefficient.")
    alternative: Alternative
    two_sided: TwoSided
    exact: bool = Field(description="Whether every permutation was listed.")
    permutations: int
    count_greater_equal: int = Field(description="Permutations whose value is at least the observed one.")
    count_less_equal: int
    count_magnitude: int = Field(description="Permutations whose value is at least as large in magnitude.")
    excluded: list[str] = Field(description="Systems that were left out.")
    reason: str
    p_holm: Number = Field(description="Holm's correction over the metrics of the coefficient.")
    p_bh: Number = Field(description="Benjamini's and Hochberg's correction over them.")
    interval: CorrelationBounds | None = Field(
        default=None, description="Null where none was asked for; version 1 of the analysis had none."
    )


class DifferenceOfMetrics(Part):
    """Two metrics: the difference of their correlations with the preference fractions, and its tests.

    A metric of which lower values are better is turned round first.
    """

    coefficient: Coefficient
    first: str
    second: str
    first_value: Number
    second_value: Number
    difference: Number = Field(description="Above 0: the first agrees better.")
    n: int = Field(description="Systems that have both metrics.")
    t: Number = Field(description="Williams' t.")
    p_value: Number = Field(description="Of Williams' test, two-sided.")
    reason: str
    notes: list[str]
    excluded: list[str] = Field(description="Systems that were left out.")
    exchange_p: Number = Field(description="Of the test that exchanges the two metrics' values of a system.")
    exchange_error: Number = Field(description="Its Monte Carlo standard error.")
    exchange_exact: bool | None = Field(description="Whether every exchange was listed.")
    exchanges: int
    exchange_reason: str
    p_value_holm: Number = Field(description="Holm's correction over the pairs of the coefficient.")
    exchange_p_holm: Number


class LeastSquaresLine(Part):
    """The preference fraction by a metric's value: least squares, and the confidence band of its mean."""

    slope: Number
    intercept: Number
    level: float
    n: int
    x: list[float] = Field(description="Places along the line.")
    y: list[float]
    lower: list[float]
    upper: list[float]
    reason: str


class PreferenceCorrelationFindings(Findings):
    """How far each metric agrees with the experts."""

    metrics: list[DescribedMetric]
    systems: list[JudgedSystem]
    correlations: list[CorrelationOfMetric]
    comparisons: list[DifferenceOfMetrics] = Field(
        default=[], description="Of every two metrics by every coefficient; version 1 of the analysis had none."
    )
    lines: dict[str, LeastSquaresLine] = Field(description="One a metric.")


class PreferenceCorrelationResult(PreferenceCorrelationFindings, Result):
    """The correlation of metrics with the experts' preference."""

    analysis: Literal["preference_correlation"]

    @property
    def coefficients(self) -> list[Coefficient]:
        """Those that were computed, in the order of the parameter."""
        return list(dict.fromkeys(row.coefficient for row in self.correlations))
