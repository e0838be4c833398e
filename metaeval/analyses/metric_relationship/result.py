"""The results of how metrics relate, and their table, laid out as Table 2 of Kurniawan et al. (2026)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field

from metaeval import metrics
from metaeval.analyses.base.coefficients import TITLES
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.table import NOTES, Column, Reason, Row, Table, column, table_of
from metaeval.analyses.inputs.parts import Number, Part, Sparse
from metaeval.stats import Coefficient

FIGURE = ("soft_accuracy", "po_jsd")
"""The two metrics of Figure 1, of which the first is never above the second (Theorem 3.1)."""


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

    a: str = Field(title="Metric")
    b: str = Field(title="and metric")
    n: int = Field(title="Systems", description="Pairs or systems in which both are defined.")
    left_out: int = Field(description="Those in which at least one is undefined.")
    value: Number
    error: Number = Field(description="Standard error; only for a simulation.")
    reason: Reason


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


def relations_table(
    settings: Sequence[RelationsInSetting], metrics: Sequence[NamedMetric], coefficient: Coefficient
) -> Table:
    """One row per pair of metrics, one column per setting, with its standard error beside it."""
    is_simulated = settings[0].is_simulated
    columns: list[str | Column] = [] if is_simulated else [column("value_0", TITLES[coefficient]), "n"]
    for number, setting in enumerate(settings if is_simulated else []):
        columns += [
            column(f"value_{number}", f"{setting.labels} labels", group=setting.setting),
            column(f"error_{number}", "± (standard error)", group=setting.setting, detail=True),
        ]
    titles = {metric.name: metric.title for metric in metrics}
    return table_of(
        "relations",
        f"{TITLES[coefficient]} between metrics, over {'simulated pairs' if is_simulated else 'systems'}",
        RelationOfMetrics,
        [_in_settings(pair, titles) for pair in zip(*(setting.relations for setting in settings), strict=True)],
        ["a", "b", *columns],
    )


def _in_settings(relations: Sequence[RelationOfMetrics], titles: dict[str, str]) -> Row:
    """Two metrics in every setting."""
    pair = relations[0]
    cells: Row = {"a": titles[pair.a], "b": titles[pair.b], "n": pair.n}
    notes = []
    for number, relation in enumerate(relations):
        cells |= {f"value_{number}": relation.value, f"error_{number}": relation.error}
        notes += [f"undefined: {relation.reason}"] if relation.reason else []
    if pair.left_out and not pair.reason:
        notes.append(f"{pair.left_out} left out because one is undefined")
    return cells | {NOTES: "; ".join(dict.fromkeys(notes))}
