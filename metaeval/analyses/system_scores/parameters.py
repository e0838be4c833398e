"""The parameters of the systems' scores."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from metaeval.analyses.base.parameters import AllThereWas, MetricNames, Parameters, ZeroDivision, choices


class SystemScores(Parameters):
    """Parameters of `system_scores`."""

    metrics: Annotated[MetricNames, AllThereWas("metrics")] = Field(
        default=[],
        title="Metrics",
        description="Names of the metrics; if none are named, all that the task has.",
        json_schema_extra=choices("metrics"),
    )
    baseline: str | None = Field(
        default=None,
        title="Baseline",
        description=(
            "The method whose mean is subtracted within each model; if none is named, no differences are shown."
        ),
        json_schema_extra=choices("methods"),
    )
    level: float = Field(
        default=0.95, ge=0.5, le=0.999, title="Level", description="The confidence level of the intervals."
    )
    zero_division: ZeroDivision = Field(
        default="1", title="Count 0/0 as", description="The F1 of a label that neither people nor the system use."
    )
