"""The results of how metrics relate, their table, laid out as Table 2 of Kurniawan et al. (2026), and the answer in
sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field

from metaeval import metrics
from metaeval.analyses.base.result import COEFFICIENT_TITLES, Findings, Result
from metaeval.analyses.base.table import NOTES, Column, Reason, Row, Table, column, table_of
from metaeval.analyses.base.wording import answered, because, counted, inside, name, number, sentence, spelled, why
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
    columns: list[str | Column] = [] if is_simulated else [column("value_0", COEFFICIENT_TITLES[coefficient]), "n"]
    for place, setting in enumerate(settings if is_simulated else []):
        columns += [
            column(f"value_{place}", f"{setting.labels} labels", group=setting.setting),
            column(f"error_{place}", "± (standard error)", group=setting.setting, detail=True),
        ]
    titles = {metric.name: metric.title for metric in metrics}
    return table_of(
        "relations",
        f"{COEFFICIENT_TITLES[coefficient]} between metrics, over {'simulated pairs' if is_simulated else 'systems'}",
        RelationOfMetrics,
        [_in_settings(pair, titles) for pair in zip(*(setting.relations for setting in settings), strict=True)],
        ["a", "b", *columns],
    )


def _in_settings(relations: Sequence[RelationOfMetrics], titles: dict[str, str]) -> Row:
    pair = relations[0]
    cells: Row = {"a": titles[pair.a], "b": titles[pair.b], "n": pair.n}
    notes = []
    for place, relation in enumerate(relations):
        cells |= {f"value_{place}": relation.value, f"error_{place}": relation.error}
        notes += [f"undefined: {relation.reason}"] if relation.reason else []
    if pair.left_out and not pair.reason:
        notes.append(f"{pair.left_out} left out because one is undefined")
    return cells | {NOTES: "; ".join(dict.fromkeys(notes))}


def answer(result: MetricRelationshipResult) -> str:
    """The pair of metrics with the strongest correlation and the one with the weakest, in the first setting.

    Nothing tests one pair against another, so only numbers are compared.
    """
    setting = result.settings[0]
    defined = [row for row in setting.relations if row.value is not None]
    if not defined:
        reason = setting.relations[0].reason if setting.relations else "there are fewer than two metrics"
        return f"No two metrics can be compared: {because(reason)}"
    sizes = [_size(row) for row in defined]
    most = [row for row in defined if _size(row) == max(sizes)]
    least = [row for row in defined if _size(row) == min(sizes)]
    called = COEFFICIENT_TITLES[result.parameters.get("coefficient", "pearson")]
    over = f"Over {spelled(most[0].n)} {'simulated datasets' if setting.is_simulated else 'systems'}"
    if len(defined) == 1:
        lead = f"{over}, the correlation of {_pair(most[0], result)} is {_value(most[0])} ({called})."
    elif len(most) == len(defined):
        pairs = f"all {spelled(len(defined))} pairs of metrics"
        lead = f"{over}, {pairs} have a correlation of the same size: {_value(most[0])} ({called})."
    else:
        lead = (
            f"{over}, the strongest correlation of {spelled(len(defined))} pairs of metrics is that of "
            f"{_pairs(most, result)}: {_value(most[0])}; the weakest is that of {_pairs(least, result)}: "
            f"{_value(least[0])} ({called})."
        )
    caution = "no test compares the pairs" if len(defined) > 1 else ""
    return answered(lead, sentence([*_elsewhere(result, most[0]), caution, *_undefined(setting, result)]))


def _size(row: RelationOfMetrics) -> float:
    return abs(row.value or 0.0)


def _pair(row: RelationOfMetrics, result: MetricRelationshipResult) -> str:
    return f"{inside(name(result.titles[row.a]))} with {inside(name(result.titles[row.b]))}"


def _pairs(rows: Sequence[RelationOfMetrics], result: MetricRelationshipResult) -> str:
    others = f" (and of {counted(len(rows) - 1, 'other pair')})" if len(rows) > 1 else ""
    return _pair(rows[0], result) + others


def _value(row: RelationOfMetrics) -> str:
    error = "" if row.error is None else f" ± {number(row.error)}"
    return f"{number(row.value or 0.0)}{error}"


def _elsewhere(result: MetricRelationshipResult, pair: RelationOfMetrics) -> list[str]:
    """The range of the strongest pair over all settings, if there are several."""
    values = [
        row.value
        for setting in result.settings
        for row in setting.relations
        if (row.a, row.b) == (pair.a, pair.b) and row.value is not None
    ]
    if len(result.settings) == 1 or len(values) < 2:
        return []
    low, high = number(min(values)), number(max(values))
    moves = f"is {low}" if low == high else f"lies between {low} and {high}"
    return [f"over {spelled(len(values))} settings, the first of these correlations {moves}"]


def _undefined(setting: RelationsInSetting, result: MetricRelationshipResult) -> list[str]:
    without = [row for row in setting.relations if row.value is None]
    if not without:
        return []
    if len(without) == 1:
        return [f"that of {_pair(without[0], result)} is undefined ({why(without[0].reason)})"]
    reasons = {why(row.reason) for row in without}
    mostly = next(iter(sorted(reasons))) if len(reasons) == 1 else f"{why(without[0].reason)}, and other reasons"
    return [f"{counted(len(without), 'correlation')} are undefined ({mostly})"]
