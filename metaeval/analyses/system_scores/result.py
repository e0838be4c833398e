"""What the analysis of the systems' scores finds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.measured import DescribedMetric, MeasuredValue
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.parts import Number, Part


class RunsOfMetric(Part):
    """A metric over the runs of a model and method."""

    mean: Number
    deviation: Number = Field(description="Standard deviation over the runs; it divides by runs - 1.")
    runs: int = Field(description="In which the metric is defined.")
    difference: Number = Field(description="Of the mean from the baseline's in the same model.")
    reason: str
    deviation_reason: str
    difference_reason: str


class ScoredMethod(Part):
    """A model and method: its mean, deviation and difference by every metric."""

    model: str
    method: str
    runs: int
    metrics: dict[str, RunsOfMetric]


class ScoredSystem(Part):
    """A system, which is one run of a model and method, by every metric."""

    system: str
    model: str
    method: str
    run: str
    metrics: dict[str, MeasuredValue]


class SystemScoresFindings(Findings):
    """What the metrics say."""

    metrics: list[DescribedMetric]
    baseline: str | None
    groups: list[ScoredMethod]
    systems: list[ScoredSystem]


class SystemScoresResult(SystemScoresFindings, Result):
    """The scores of systems by all metrics."""

    analysis: Literal["system_scores"]
