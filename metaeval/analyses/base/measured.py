"""Parts that the results of several analyses share: their metrics, the metrics' values, and intervals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Field

from metaeval import metrics
from metaeval.analyses.base.saying import inside
from metaeval.analyses.base.table import InTable, Limit
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.stats.intervals import IntervalMethod


class DescribedMetric(Part):
    """A metric that a result is about."""

    name: str
    title: str
    orientation: Literal["higher", "lower"] = Field(description="Whether higher or lower values are better.")
    range: list[Number] = Field(
        min_length=2, max_length=2, description="The lowest and the highest possible value; null means no limit."
    )

    @classmethod
    def named(cls, name: str) -> Self:
        """The metric as the registry describes it."""
        entry = metrics.get(name)
        return cls(name=name, title=entry.title, orientation=entry.orientation, range=list(entry.range))


def in_titles(reason: str, metrics: Iterable[DescribedMetric]) -> str:
    """A reason from the numeric library, with the metrics' titles in place of their names.

    >>> in_titles("all values of macro_f1 are equal", [DescribedMetric.named("macro_f1")])
    'all values of macro F1 are equal'
    """
    for metric in metrics:
        reason = re.sub(rf"\b{re.escape(metric.name)}\b", inside(metric.title), reason)
    return reason


class MeasuredValue(Part):
    """A metric's value for a system."""

    value: Number
    reason: str = Field(description="Why it is undefined; empty if it is defined.")


class BootstrapInterval(Part):
    """A bootstrap confidence interval; if there is none, without bounds and with the reason."""

    low: Limit = Field(title="low")
    high: Limit = Field(title="high")
    level: float
    method: IntervalMethod
    resamples: int
    undefined: int = Field(description="Resamples without a value, which were left out.")
    standard_error: Number = Field(description="The standard deviation of the resamples' values.")
    reason: Annotated[str, InTable(remark="no interval: {}")]
