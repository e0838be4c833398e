"""The parameters of the analysis of power, and the assumptions that they leave to the data."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from annotations.units import Exchangeable
from metaeval.analyses.base.earlier import Absent
from metaeval.analyses.base.parameters import StudyParameters
from metaeval.stats import Alternative, Coefficient

MOST = 12
"""Values of one side of the grid."""


class PowerOfStudy(StudyParameters):
    """Parameters of `power`."""

    correlation: float = Field(
        default=0.7, ge=0, le=1, title="Correlation", description="The true one that the grid is about."
    )
    target: float = Field(
        default=0.8,
        ge=0.1,
        le=0.99,
        title="Wanted power",
        description="The share of such studies that should find the smallest detectable correlation.",
    )
    systems: int | None = Field(
        default=None, ge=3, le=1000, title="Systems", description="None: those that the study compares, else 25."
    )
    models: Annotated[int | None, Absent(None)] = Field(
        default=None,
        ge=1,
        le=1000,
        title="Models",
        description="Over which the systems are spread. None: those of the study's systems, else 2.",
    )
    methods: Annotated[int | None, Absent(None)] = Field(
        default=None,
        ge=1,
        le=1000,
        title="Methods",
        description="Each in every model. None: those of the study's systems, else as many as the systems need.",
    )
    exchangeable: Annotated[Literal["default", Exchangeable], Absent("systems")] = Field(
        default="default",
        title="What can be exchanged",
        description=(
            "In the test of the study. By default it follows from models and methods: whole methods where models share "
            "them, the systems of one model where they do not. Any system with any other is right only where they "
            "share neither."
        ),
    )
    instances: list[int] = Field(
        default=[],
        max_length=MOST,
        title="Instances of a system",
        description="One side of the grid; none: from a quarter of the planned number to its double (28 without one).",
    )
    experts_per_comparison: list[int] = Field(
        default=[],
        max_length=MOST,
        title="Experts of a comparison",
        description="The other side; none: 1, 2, 4, 8 and the planned number.",
    )
    experts: int | None = Field(
        default=None, ge=1, le=1000, title="Experts", description="In all; None: those of the study, else 28."
    )
    coefficient: Coefficient = Field(
        default="pearson", title="Coefficient", description="With which the metrics will be compared."
    )
    alpha: float = Field(
        default=0.05,
        ge=0.0005,
        le=0.5,
        title="Significance",
        description="p-values up to it find something; of six corrected metrics, 0.05 / 6 is on the safe side.",
    )
    alternative: Alternative = Field(
        default="two-sided", title="Alternative", description="The tail of the permutation test."
    )
    simulations: int = Field(
        default=400, ge=50, le=10_000, title="Simulations", description="Simulated studies of every cell of the grid."
    )
    permutations: int = Field(
        default=999, ge=99, le=100_000, title="Permutations", description="Of the test of every simulated study."
    )
    fraction: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        title="Preference fraction",
        description="Of a middling system. None: as in the responses, and 0.38 where there are none.",
    )
    system_spread: float | None = Field(
        default=None,
        ge=0,
        le=5,
        title="Spread of systems",
        description="Standard deviation on the scale of log-odds. None: as in the responses, else 0.4.",
    )
    instance_spread: float | None = Field(
        default=None,
        ge=0,
        le=5,
        title="Spread of instances",
        description="How differently instances are judged. None: as in the responses, else 0.5.",
    )
    expert_spread: float | None = Field(
        default=None,
        ge=0,
        le=5,
        title="Spread of experts",
        description="How differently experts are inclined. None: as in the responses, else 0.3.",
    )

    likeness: Annotated[float | None, Absent(0.0)] = Field(
        default=None,
        ge=0,
        le=1,
        title="Likeness of methods",
        description="Correlation of what a method achieves in two models. None: 0.84; 0: a method shares nothing.",
    )
    model_spread: Annotated[float | None, Absent(0.0)] = Field(
        default=None,
        ge=0,
        le=10,
        title="Spread of models",
        description="How far models differ, in standard deviations of the systems of one model. None: 1.",
    )

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
            msg = f"{self.permutations} permutations give no p-value below {least:.2g}; expected more for {self.alpha}"
            raise ValueError(msg)
        return self
