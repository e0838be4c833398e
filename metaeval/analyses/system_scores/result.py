"""The results of the analysis of the systems' scores."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.measured import DescribedMetric, MeasuredValue
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.parts import Number, Part

Collapse = Literal["", "nothing", "same"]
"""Empty: it did not collapse; it predicts no label for any text; it predicts the same for every text."""


class ComparedMetric(DescribedMetric):
    """A metric, or a pair of them that stand in one column for datasets of different kinds of task."""

    multilabel: str = Field(
        default="",
        description="The metric in its place where texts have several labels: micro F1 for accuracy. Values are under "
        "the name of the first.",
    )


class RunsOfMetric(Part):
    """A metric over the runs of a model and method."""

    mean: Number
    deviation: Number = Field(description="Standard deviation over the runs; it divides by the number of runs minus 1.")
    runs: int = Field(description="In which the metric is defined.")
    difference: Number = Field(
        description="Of the mean from the baseline's mean in the same model: each run minus that mean, averaged."
    )
    reason: str
    deviation_reason: str
    difference_reason: str
    low: Number = Field(default=None, description="Of Welch's confidence interval of the difference, over the runs.")
    high: Number = None
    interval_reason: str = Field(default="", description="Why there is no interval; empty in earlier results.")


class ScoredMethod(Part):
    """A model and method: its mean, deviation and difference by every metric."""

    model: str
    method: str
    runs: int
    metrics: dict[str, RunsOfMetric]
    dataset: str = Field(default="", description="With several datasets, which one.")


class ScoredSystem(Part):
    """A system, which is one run of a model and method, by every metric."""

    system: str
    model: str
    method: str
    run: str
    metrics: dict[str, MeasuredValue]
    dataset: str = Field(default="", description="With several datasets, which one.")
    collapse: Collapse = Field(default="", description="Whether it predicts no label at all, or always the same.")


class CollapsedMethod(Part):
    """A model and method with runs that predict no label for any text, or the same for every text."""

    dataset: str = Field(description="With several datasets, which one.")
    model: str
    method: str
    collapse: Collapse
    runs: int = Field(description="How many of its runs collapsed like this.")
    of: int = Field(description="How many runs it has.")


class RankedMethod(Part):
    """A method (a model, if no method is named), and its mean rank over datasets, models and metrics."""

    name: str
    rank: Number = Field(description="Mean rank, 1 being the best.")
    rankings: int = Field(description="How many rankings are averaged: one per dataset, model and metric.")
    degenerate: int = Field(description="In how many of them it ranks last: undefined, or the same for every instance.")
    by_metric: dict[str, Number] = Field(description="Mean rank by each metric.")
    reason: str = Field(description="Why there is no rank; empty if there is one.")


class SystemScoresFindings(Findings):
    """What the metrics say."""

    metrics: list[ComparedMetric]
    baseline: str | None
    groups: list[ScoredMethod]
    systems: list[ScoredSystem]
    datasets: list[str] = Field(default=[], description="With several datasets, their slugs.")
    ranks: list[RankedMethod] = Field(default=[], description="The best first; empty in earlier results.")
    level: Number = Field(default=None, description="Confidence level of the intervals; null in earlier results.")
    collapsed: list[CollapsedMethod] = []


class SystemScoresResult(SystemScoresFindings, Result):
    """The scores of systems by all metrics."""

    analysis: Literal["system_scores"]
