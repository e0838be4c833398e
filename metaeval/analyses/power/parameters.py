"""The parameters of the analysis of power, and the assumptions that they leave to the data."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from annotations.ground.units import Exchangeable
from metaeval.analyses.base.parameters import Absent, StudyParameters
from metaeval.stats import Alternative, Coefficient

MOST = 12
"""The maximum number of values along one side of the grid."""


class PowerOfStudy(StudyParameters):
    """Parameters of `power`."""

    correlation: float = Field(default=0.7, ge=0, le=1, title="Correlation")
    """The true correlation of the grid."""
    target: float = Field(default=0.8, ge=0.1, le=0.99, title="Wanted power")
    """The share of such studies that should detect the smallest detectable correlation."""
    systems: int | None = Field(default=None, ge=3, le=1000, title="Systems")
    """The default is those that the study compares, or 25."""
    models: Annotated[int | None, Absent(None)] = Field(default=None, ge=1, le=1000, title="Models")
    """Models over which the systems are spread. The default is those of the study's systems, or 2."""
    methods: Annotated[int | None, Absent(None)] = Field(default=None, ge=1, le=1000, title="Methods")
    """Methods, each used with every model. The default is those of the study's systems, or as many as the systems
    need."""
    exchangeable: Annotated[Literal["default", Exchangeable], Absent("systems")] = Field(
        default="default", title="What can be exchanged"
    )
    """In the study's test. By default it follows from models and methods: whole methods if models share them, the
    systems of one model if they do not. Any system with any other is only right if they share neither."""
    instances: list[int] = Field(default=[], max_length=MOST, title="Instances per system")
    """One side of the grid. The default goes from a quarter of the planned number to twice that number (28 without a
    plan)."""
    experts_per_comparison: list[int] = Field(default=[], max_length=MOST, title="Experts per comparison")
    """The other side of the grid. The default is 1, 2, 4, 8 and the planned number."""
    experts: int | None = Field(default=None, ge=1, le=1000, title="Experts")
    """Experts in all. The default is those of the study, or 28."""
    coefficient: Coefficient = Field(default="pearson", title="Coefficient")
    """The correlation with which the metrics will be compared."""
    alpha: float = Field(default=0.05, ge=0.0005, le=0.5, title="Significance")
    """Results with p-values up to this count as detected; with six corrected metrics, 0.05 / 6 is on the safe side."""
    alternative: Alternative = Field(default="two-sided", title="Alternative")
    """The tail of the permutation test."""
    simulations: int = Field(default=400, ge=50, le=10_000, title="Simulations")
    """How many studies are simulated for each cell of the grid."""
    permutations: int = Field(default=999, ge=99, le=100_000, title="Permutations")
    """Permutations in the test of each simulated study."""
    fraction: float | None = Field(default=None, gt=0, lt=1, title="Preference fraction")
    """The preference fraction of an average system. The default is that of the responses, or 0.38 if there are none."""
    system_spread: float | None = Field(default=None, ge=0, le=5, title="Spread of systems")
    """Standard deviation on the log-odds scale. The default is that of the responses, or 0.4."""
    instance_spread: float | None = Field(default=None, ge=0, le=5, title="Spread of instances")
    """How much the judgements of instances differ. The default is that of the responses, or 0.5."""
    expert_spread: float | None = Field(default=None, ge=0, le=5, title="Spread of experts")
    """How much experts' inclinations differ. The default is that of the responses, or 0.3."""

    likeness: Annotated[float | None, Absent(0.0)] = Field(default=None, ge=0, le=1, title="Similarity of methods")
    """The correlation between what a method achieves in two models. The default is 0.84; 0 means that a method shares
    nothing between models."""
    model_spread: Annotated[float | None, Absent(0.0)] = Field(default=None, ge=0, le=10, title="Spread of models")
    """How far models differ, in standard deviations of the systems of one model. The default is 1."""

    @field_validator("instances", "experts_per_comparison")
    @classmethod
    def _rising(cls, values: list[int]) -> list[int]:
        if any(not 1 <= value <= 10_000 for value in values):
            msg = f"got {values}; expected numbers from 1 to 10,000"
            raise ValueError(msg)
        return sorted(set(values))

    @model_validator(mode="after")
    def _can_be_reached(self) -> Self:
        least = (2 if self.alternative == "two-sided" else 1) / (1 + self.permutations)
        if self.alpha < least:
            msg = (
                f"With {self.permutations} permutations, no p-value can be below {least:.2g}; expected "
                f"more for {self.alpha}"
            )
            raise ValueError(msg)
        return self
