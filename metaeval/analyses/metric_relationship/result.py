"""The results of the analysis of how metrics relate."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from metaeval import metrics
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.parts import Number, Part, Sparse


class NamedMetric(Part):
    """A metric that is related to others."""

    name: str
    title: str

    @classmethod
    def of(cls, name: str) -> Self:
        """The metric as named in the registry."""
        return cls(name=name, title=metrics.get(name).title)


class RelationOfMetrics(Part):
    """The correlation of two metrics."""

    a: str
    b: str
    n: int = Field(description="Pairs or systems in which both are defined.")
    left_out: int = Field(description="Those in which at least one is undefined.")
    value: Number
    error: Number = Field(description="Standard error; only for a simulation.")
    reason: str = Field(description="Why it is undefined; empty if it is defined.")


class RelationsInSetting(Part):
    """Every pair of metrics over the simulated pairs of one setting, or over the systems of a dataset."""

    setting: str
    alpha: Number = Field(description="Concentration of people's distributions; null for real systems.")
    beta: Number = Field(description="Concentration of systems' distributions; null for real systems.")
    labels: int
    relations: list[RelationOfMetrics]

    @property
    def is_simulated(self) -> bool:
        """Whether the pairs were simulated."""
        return self.alpha is not None


class PointOfMetrics(Sparse):
    """Two metrics of one pair of distributions; for real data, with the system's name."""

    x: float
    y: float
    system: str | None = None
    model: str | None = None


class BinaryCurve(Part):
    """A metric of one instance with two labels, as a function of the predicted share of the first."""

    metric: str
    lower_is_better: bool
    people: float = Field(description="Share of people who chose the first label.")
    values: list[Number] = Field(
        description="Values where the prediction gives it 0, 0.01, 0.02, ..., 1; null if undefined."
    )


class MetricRelationshipFindings(Findings):
    """How metrics relate."""

    metrics: list[NamedMetric]
    settings: list[RelationsInSetting] = Field(min_length=1)
    points: list[PointOfMetrics]
    point_metrics: list[NamedMetric] = Field(description="What x and y of the points are.")
    binary: list[BinaryCurve] = Field(
        default=[], description="For a simulation: what the metrics that are defined for single instances reward."
    )

    @property
    def titles(self) -> dict[str, str]:
        """The metrics' titles."""
        return {metric.name: metric.title for metric in self.metrics}


class MetricRelationshipResult(MetricRelationshipFindings, Result):
    """The correlations of metrics with one another."""

    analysis: Literal["metric_relationship"]
