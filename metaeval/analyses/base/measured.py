"""Parts that the results of several analyses have: which metrics they are about, and what these said."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from metaeval import metrics
from metaeval.analyses.inputs.parts import Number, Part


class DescribedMetric(Part):
    """A metric that a result is about."""

    name: str
    title: str
    orientation: Literal["higher", "lower"] = Field(description="Which values are better.")
    range: list[Number] = Field(
        min_length=2, max_length=2, description="The lowest and the highest possible value; null: none."
    )

    @classmethod
    def named(cls, name: str) -> Self:
        """As the registry describes it."""
        entry = metrics.get(name)
        return cls(name=name, title=entry.title, orientation=entry.orientation, range=list(entry.range))


class MeasuredValue(Part):
    """What a metric says of a system."""

    value: Number
    reason: str = Field(description="Why it is undefined; empty where it is not.")
