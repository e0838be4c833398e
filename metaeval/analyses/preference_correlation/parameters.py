"""The parameters of the correlation of metrics with the experts' preference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, field_validator

from annotations.ground.units import Exchangeable
from metaeval.analyses.base.parameters import (
    Absent,
    Level,
    MetricNames,
    Renamed,
    StudyParameters,
    ZeroDivision,
    choices,
)
from metaeval.analyses.inputs.fractions import Average, Both, Identical, Weights
from metaeval.stats import COEFFICIENTS, Alternative, Coefficient, TwoSided, Unit
from metaeval.stats.correlating.bootstrap import UNITS

FEWEST = 100
"""The smallest number of resamples for quantiles."""

ExchangeableChoice = Literal["default", Exchangeable]
PairedTest = Literal["jackknife", "exchange methods", "exchange systems"]
IntervalBy = Literal["jackknife", "bca by methods", "bca", "percentile"]
ValuesOf = Literal["exact", "shown"]
InstancesOf = Literal["all", "judged"]
CONFOUNDED = (
    "On the judged texts only, a metric's value and the preference fraction both depend on which texts a "
    "system happened to get. They can correlate for that reason alone: even with no link at all between "
    "systems, correlations of .16 to .30 are usual, and 12 to 33% of tests at 5% reject (simulated). "
    "This says nothing about the metric itself."
)
"""A note for everything on judged instances."""


@dataclass(frozen=True)
class Question:
    """On which values and on which instances metrics are computed."""

    values: ValuesOf
    instances: InstancesOf

    @property
    def is_confounded(self) -> bool:
        """Whether the metric's value depends on which texts a system got, as its preference fraction does."""
        return self.instances == "judged"

    @property
    def key(self) -> str:
        return f"{self.values} x {self.instances}"

    @property
    def in_words(self) -> str:
        """As the end of a sentence.

        >>> Question("shown", "all").in_words
        'on the values that experts were shown, over the whole dataset'
        """
        values = {"exact": "on the exact predictions", "shown": "on the values that experts were shown"}
        instances = {"all": "over the whole dataset", "judged": "over the texts on which each system was judged"}
        return f"{values[self.values]}, {instances[self.instances]}"


class PreferenceCorrelation(StudyParameters):
    """Parameters of `preference_correlation`."""

    metrics: MetricNames = Field(default=[], title="Metrics", json_schema_extra=choices("metrics"))
    """Names of the metrics to compare. The default is the six of the task."""
    coefficients: list[Coefficient] = Field(default=list(COEFFICIENTS), min_length=1, title="Coefficients")
    """Which correlations to compute."""
    exchangeable: Annotated[ExchangeableChoice, Absent("systems")] = Field(
        default="default", title="What can be exchanged"
    )
    """The unit of analysis: what could have been different if a metric had nothing to do with preference. By default it
    follows from the systems' names: whole methods if models share them, the systems of one model if they do not. Any
    system with any other is only right if they share neither."""
    permutations: int = Field(default=100_000, ge=100, le=10_000_000, title="Permutations")
    """How many permutations to draw; if there are no more than that, all of them are enumerated."""
    resamples: Annotated[int, Absent(0)] = Field(default=1000, ge=0, le=10_000, title="Resamples")
    """How many bootstrap samples to draw for the intervals that need them: 100 or more; 0 for no such intervals."""
    over: list[Unit] = Field(default=list(UNITS), min_length=1, title="Resample")
    """What the intervals are over: systems, the comparisons of each, or experts with all their responses."""
    interval: Annotated[IntervalBy, Absent("bca")] = Field(default="jackknife", title="Interval")
    """For the tested correlation: Fisher's z with the error from leaving out each method in turn, or the BCa bootstrap
    of whole methods. For the overall correlation, as published: the bootstrap over what is resampled, BCa or plain
    quantiles, which treats systems as independent."""
    level: Level = 0.95
    paired: Annotated[PairedTest, Absent("exchange systems")] = Field(
        default="jackknife", title="Two metrics are compared by"
    )
    """The jackknife of the difference, leaving out each method in turn; exchanging the two metrics' values of a whole
    method; or of single systems, as published, which treats systems as independent."""
    exchanges: Annotated[int, Absent(0)] = Field(default=10_000, ge=0, le=1_000_000, title="Exchanges")
    """For the paired test of two metrics that exchanges their values; 0 for no such test."""
    both: Both = Field(default="1", title="A response of “both” counts")
    """What it adds to a system's preference fraction if both distributions were chosen."""
    identical: Annotated[Identical, Absent("keep")] = Field(
        default="keep", title="Count comparisons that looked the same"
    )
    """How to count comparisons whose two sides looked the same: as they were answered, as if both had been chosen, as a
    half, or not at all. Leaving them out puts good systems at a disadvantage, because they look like people most
    often."""
    weights: Weights = Field(default="none", title="Weights")
    """Whether responses count equally or by the certainty that the expert stated."""
    average: Average = Field(default="responses", title="Average over")
    """All responses of a system equally, or first within each comparison."""
    values: Annotated[ValuesOf, Absent("exact")] = Field(default="exact", title="Metric values of")
    """The exact predictions, or what experts were shown of them: thresholded and rounded."""
    instances: Annotated[InstancesOf, Renamed({"shown": "judged"})] = Field(default="all", title="Metric values on")
    """The whole dataset, or for each system only the instances that experts judged; then the metric and the preference
    both depend on which texts a system got."""
    zero_division: ZeroDivision = Field(default="1", title="Count 0/0 as")
    """The F1 of a label that neither people nor the system use."""
    alternative: Alternative = Field(default="two-sided", title="Alternative")
    """The tail of the permutation test."""
    two_sided: TwoSided = Field(default="double", title="Two-sided by")
    """Twice the smaller tail (as SciPy does), or by the magnitude of the correlation."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """On which values and instances metrics are computed: as requested, and the two that are always reported.

        >>> [question.key for question in PreferenceCorrelation(instances="judged").questions]
        ['exact x judged', 'exact x all', 'shown x all']
        """
        requested = Question(self.values, self.instances)
        return tuple(dict.fromkeys([requested, Question("exact", "all"), Question("shown", "all")]))

    @field_validator("instances", mode="before")
    @classmethod
    def _in_todays_word(cls, instances: object) -> object:
        return "judged" if instances == "shown" else instances

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
