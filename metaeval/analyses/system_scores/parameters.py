"""The parameters of the systems' scores."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from metaeval.analyses.base.parameters import AllThereWas, Level, MetricNames, Parameters, ZeroDivision, choices


class SystemScores(Parameters):
    """Parameters of `system_scores`."""

    metrics: Annotated[MetricNames, AllThereWas("metrics")] = Field(
        default=[], title="Metrics", json_schema_extra=choices("metrics")
    )
    """Names of the metrics; if none are named, all that the task has."""
    baseline: str | None = Field(default=None, title="Baseline", json_schema_extra=choices("methods"))
    """The method whose mean is subtracted within each model; if none is named, no differences are shown."""
    level: Level = 0.95
    zero_division: ZeroDivision = Field(default="1", title="Count 0/0 as")
    """The F1 of a label that neither people nor the system use."""
