"""The results of correlating metrics with the experts' preference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from annotations.ground.units import Exchangeable
from metaeval.analyses.base.coefficients import TITLES
from metaeval.analyses.base.measured import DescribedMetric, MeasuredValue
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.saying import ALPHA
from metaeval.analyses.base.table import InTable, PValue
from metaeval.analyses.inputs.parts import Exclusion, Number, Part
from metaeval.analyses.preference_correlation.parameters import InstancesOf, ValuesOf
from metaeval.stats import Alternative, Coefficient, StatisticName, TwoSided, Unit
from metaeval.stats.correlating.jackknife import Left
from metaeval.stats.intervals import IntervalMethod

FEW_SYSTEMS = 6
"""With fewer, a correlation near 1 or -1 can arise by chance alone."""

MonteCarlo = Annotated[Number, InTable(detail=True)]
"""The Monte Carlo standard error of a p-value."""


class JudgedSystem(Part):
    """A system: how often experts chose its distribution, and its value for every metric."""

    system: str
    fraction: Number = Field(description="The preference fraction: the share of its responses that chose it.")
    responses: int
    chosen: int = Field(description="Responses that chose it, alone or with the other.")
    both: int = Field(description="Responses that chose it and the other.")
    comparisons: int
    identical: int = Field(
        default=0, description="Responses to comparisons whose two sides looked the same; not counted before version 3."
    )
    reason: str = Field(description="Why it has no preference fraction; empty if it has one.")
    model: str
    method: str
    run: str
    metrics: dict[str, MeasuredValue]


class CorrelationBounds(Part):
    """The interval of a correlation; if there is none, without bounds and with the reason."""

    low: Number = Field(title="from")
    high: Number = Field(title="to")
    level: float
    method: Literal["jackknife", "bca by methods", IntervalMethod]
    statistic: StatisticName = Field(
        default="overall", description="About which correlation; always the overall one before version 3."
    )
    over: list[Unit | Left] = Field(description="What was resampled, or left out in turn.")
    units: int = Field(default=0, description="How many were left out in turn, or drawn.")
    resamples: int = Field(default=0, description="Bootstrap samples; 0 if none are drawn.")
    undefined: int = Field(default=0, description="Resamples without a value, which were left out.")
    standard_error: Number = Field(
        description="The standard deviation of the resamples' values; for the jackknife, the error of its arctanh."
    )
    reason: str
    notes: list[str]


class UnitOfAnalysis(Part):
    """What the tests exchange: what could have been different if metrics had nothing to do with preference."""

    exchangeable: Exchangeable
    by_default: bool = Field(description="Whether it follows from the systems' names; if not, it was chosen.")
    words: str = Field(description="What is exchanged and why, as a sentence.")
    statistic: StatisticName = Field(description="Which correlation is tested.")
    models: int = Field(description="About the systems that were judged.")
    methods: int
    possible: Number = Field(
        description="How many arrangements there are; null if there are more than a number can hold exactly."
    )
    smallest_p: Number = Field(description="No p-value can be smaller, whatever the data are.")
    cannot_reject: str = Field(description="A note that this is above 5%, as a sentence; empty otherwise.")
    beside: str = Field(description="A note about the overall correlation; empty if it is the tested one.")
    few: str = Field(description="A note that few systems were judged; empty otherwise.")

    @property
    def sentences(self) -> list[str]:
        """Everything that a reader must know, in order."""
        return [
            sentence
            for sentence in (f"How chance was judged. {self.words}", self.cannot_reject, self.few, self.beside)
            if sentence
        ]


class CorrelationOfMetric(Part):
    """A metric's correlation with the preference fractions, over systems, and its permutation test."""

    metric: str = Field(title="Metric")
    coefficient: Coefficient
    value: Number = Field(description="The correlation that is tested; `statistic` says which one.")
    statistic: StatisticName = Field(default="overall", description="Always the overall one before version 3.")
    overall: Number = Field(
        default=None,
        title="overall, not tested",
        description="Over all systems; not tested if another one is. Null before version 3.",
    )
    exchangeable: Exchangeable = Field(default="systems", description="What the test exchanges.")
    n: int = Field(title="Systems", description="Systems that count.")
    p_value: Annotated[PValue, InTable(key="p")] = Field(title="p")
    p_error: MonteCarlo = Field(
        title="± (Monte Carlo)",
        description="Monte Carlo standard error of p; 0 if every permutation was enumerated.",
    )
    p_family: Annotated[PValue, InTable(key="p_max_t")] = Field(
        title="p max-T", description="Step-down max-T, over the metrics of the coefficient."
    )
    alternative: Alternative
    two_sided: TwoSided
    exact: bool = Field(description="Whether every permutation was enumerated.")
    permutations: int
    count_greater_equal: int = Field(description="Permutations whose value is at least the observed one.")
    count_less_equal: int
    count_magnitude: int = Field(description="Permutations whose value is at least as large in magnitude.")
    excluded: list[str] = Field(description="Systems that were left out.")
    reason: str
    p_holm: PValue = Field(title="p Holm", description="Holm's correction over the metrics of the coefficient.")
    p_bh: PValue = Field(title="p BH", description="Benjamini-Hochberg correction over them.")
    flag: str = Field(default="", description="A caution about the metric's values; empty if there is none.")
    interval: CorrelationBounds | None = Field(
        default=None, description="Null if none was requested; version 1 of the analysis had none."
    )


class ComparisonByUnits(Part):
    """Two metrics compared over systems that may share models and methods."""

    test: Literal["jackknife", "exchange methods"]
    statistic: StatisticName = Field(description="Of which correlations.")
    first: Annotated[Number, InTable(key="first_value")]
    second: Annotated[Number, InTable(key="second_value")]
    difference: Number = Field(description="Above 0: the first agrees better.")
    low: Annotated[Number, InTable(key="unit_low")] = Field(
        title="from", description="From the jackknife's interval of the difference."
    )
    high: Annotated[Number, InTable(key="unit_high")] = Field(title="to")
    t: Number = Field(description="From the jackknife.")
    p_value: Annotated[PValue, InTable(key="unit_p")] = Field(title="p")
    p_error: Annotated[MonteCarlo, InTable(key="unit_p_error")] = Field(
        title="± (Monte Carlo)", description="Monte Carlo standard error of exchanging; 0 if nothing is sampled."
    )
    p_holm: Annotated[PValue, InTable(key="unit_p_holm")] = Field(
        title="p Holm", description="Holm's correction over the pairs of the coefficient."
    )
    units: int = Field(description="How many were left out, or exchanged.")
    left_out: Left = Field(description="What they are.")
    exchanges: int
    reason: str


class DifferenceOfMetrics(Part):
    """Two metrics: the difference of their correlations with the preference fractions, and its tests.

    Metrics whose lower values are better are negated first.
    """

    coefficient: Annotated[Coefficient, InTable(words=TITLES)] = Field(title="Coefficient")
    first: Annotated[str, InTable(key="first_metric")] = Field(title="Metric")
    second: Annotated[str, InTable(key="second_metric")] = Field(title="compared with")
    first_value: Number = Field(title="of the first")
    second_value: Number = Field(title="of the second")
    difference: Number = Field(title="Difference", description="Above 0: the first agrees better.")
    n: int = Field(title="Systems", description="Systems that have both metrics.")
    t: Annotated[Number, InTable(detail=True)] = Field(title="t", description="Williams' t.")
    p_value: PValue = Field(title="p", description="From Williams' test, two-sided.")
    reason: str
    notes: list[str]
    excluded: list[str] = Field(description="Systems that were left out.")
    exchange_p: PValue = Field(
        title="p", description="From the test that exchanges the two metrics' values of a system."
    )
    exchange_error: MonteCarlo = Field(title="± (Monte Carlo)", description="Its Monte Carlo standard error.")
    exchange_exact: bool | None = Field(description="Whether every exchange was enumerated.")
    exchanges: int
    exchange_reason: str
    p_value_holm: PValue = Field(title="p Holm", description="Holm's correction over the pairs of the coefficient.")
    exchange_p_holm: PValue = Field(title="p Holm")
    by_units: ComparisonByUnits | None = Field(
        default=None,
        description="The test that takes the unit of analysis into account; null if it was not requested.",
    )


class OtherQuestion(Part):
    """The same metrics on other values or instances than asked: a separate family of tests."""

    values: ValuesOf = Field(description="The exact predictions, or what experts were shown: thresholded and rounded.")
    instances: InstancesOf = Field(description="The whole dataset, or those on which experts judged the system.")
    is_confounded: bool = Field(description="The metric and the preference both depend on which texts a system got.")
    metrics: dict[str, dict[str, MeasuredValue]] = Field(description="By system, then by metric.")
    correlations: list[CorrelationOfMetric]
    exclusions: list[Exclusion]


VariationKind = Literal[
    "method left out",
    "model left out",
    "system left out",
    "one model",
    "exchangeable",
    "both",
    "identical",
    "given away",
    "values",
]


class VariedCorrelation(Part):
    """A metric's correlation in a variation."""

    metric: str
    coefficient: Coefficient
    value: Number
    n: int = Field(description="Systems that count.")
    p_value: Number = Field(description="Also null if none was computed, as for single systems left out.")
    p_error: Number = Field(description="Its Monte Carlo standard error; these tests draw fewer permutations.")
    reason: str

    def changes_sign(self, answer: CorrelationOfMetric) -> bool:
        return (self.value or 0.0) * (answer.value or 0.0) <= 0 and self.value != answer.value

    def changes_decision(self, answer: CorrelationOfMetric) -> bool:
        """Whether p is on the other side of .05; not if one of the two was not tested."""
        if self.p_value is None or answer.p_value is None:
            return False
        return (self.p_value < ALPHA) != (answer.p_value < ALPHA)


class Variation(Part):
    """The same analysis with one thing changed: does the answer hold?"""

    kind: VariationKind
    name: str = Field(description="What was left out, or which choice was made.")
    is_asked: bool = Field(description="Whether this is the choice of the analysis itself.")
    cannot_reject: bool = Field(description="Whether it allows no p-value below 5%, whatever the data are.")
    rows: list[VariedCorrelation]


def varied_correlations(
    sensitivity: Sequence[Variation], metric: str, coefficient: Coefficient
) -> list[tuple[Variation, VariedCorrelation]]:
    """A metric's defined correlations in every variation; of other exchanges, only in those that can reject."""
    return [
        (variation, row)
        for variation in sensitivity
        if not (variation.kind == "exchangeable" and variation.cannot_reject)
        for row in variation.rows
        if (row.metric, row.coefficient) == (metric, coefficient) and row.value is not None
    ]


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
    """How much each metric agrees with the experts."""

    metrics: list[DescribedMetric]
    systems: list[JudgedSystem]
    correlations: list[CorrelationOfMetric]
    comparisons: list[DifferenceOfMetrics] = Field(
        default=[], description="For every two metrics and every coefficient; version 1 of the analysis had none."
    )
    lines: dict[str, LeastSquaresLine] = Field(description="One per metric.")
    values: ValuesOf = Field(default="exact", description="What metrics were computed on; exact before version 3.")
    instances: InstancesOf = Field(
        default="all", description="For which instances; see the parameters before version 3."
    )
    unit: UnitOfAnalysis | None = Field(
        default=None, description="What the tests exchange; null before version 3, when it was any two systems."
    )
    sensitivity: list[Variation] = Field(default=[], description="Does the answer hold? None before version 3.")
    others: list[OtherQuestion] = Field(
        default=[], description="What is always reported in addition; none before version 3."
    )


class PreferenceCorrelationResult(PreferenceCorrelationFindings, Result):
    """The correlation of metrics with the experts' preference."""

    analysis: Literal["preference_correlation"]

    @property
    def coefficients(self) -> list[Coefficient]:
        """The computed coefficients, in the order of the parameter."""
        return list(dict.fromkeys(row.coefficient for row in self.correlations))
