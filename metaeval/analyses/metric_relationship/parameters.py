"""The parameters of how metrics relate."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from metaeval.analyses.base.parameters import MetricNames, Parameters, ZeroDivision, choices
from metaeval.stats import Coefficient

Setting = Annotated[str, Field(pattern=r"^[0-9]*\.?[0-9]+,[0-9]*\.?[0-9]+$")]
Labels = Annotated[int, Field(ge=2, le=1000)]


class MetricRelationship(Parameters):
    """Parameters of `metric_relationship`."""

    metrics: MetricNames = Field(default=[], title="Metrics", json_schema_extra=choices("metrics"))
    """Names of the metrics. The default is the four of Table 2 in a simulation, and the six of the task for a
    dataset."""
    coefficient: Coefficient = Field(default="pearson", title="Coefficient")
    """Which correlation to compute."""
    # not “settings”, which Django removes from every command line
    concentrations: list[Setting] = Field(
        default=["10,10", "0.1,0.1", "10,0.1", "0.1,10"], min_length=1, max_length=20, title="Concentrations"
    )
    """For a simulation: alpha,beta of the Dirichlet distributions of people and of systems."""
    label_counts: list[Labels] = Field(default=[10, 100], min_length=1, max_length=10, title="Labels")
    """For a simulation: how many labels there are."""
    pairs: int = Field(default=500, ge=3, le=100_000, title="Pairs")
    """For a simulation: how many datasets are drawn."""
    instances: int = Field(default=1000, ge=2, le=100_000, title="Instances")
    """For a simulation: how many instances each of these datasets has."""
    zero_division: ZeroDivision = Field(default="1", title="Count 0/0 as")
    """For a dataset: the F1 of a label that nobody uses."""
