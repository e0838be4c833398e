"""The parameters of the analysis of human uncertainty."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from metaeval.analyses.agreement.parameters import Bounds
from metaeval.analyses.uncertainty.machine_parameters import MachineParameters
from metaeval.stats.uncertainty.partitions import BOUNDS

Grouping = Literal["agreement", "different_labels"]


class Uncertainty(MachineParameters):
    """Parameters of `uncertainty`."""

    partitions: list[Grouping] = Field(
        default=["agreement", "different_labels"],
        title="Partitions",
        description="Groups of items: by the share of people who gave the majority (or the median), and by how many "
        "different labels people gave.",
    )
    bounds: Bounds = Field(
        default=list(BOUNDS),
        min_length=1,
        title="Bounds of the partitions by agreement",
        description="Shares that rise to at most 1; the default is that of Elangovan et al. (2025).",
    )
    constant: Literal["undefined", "1"] = Field(
        default="undefined",
        title="All judgements equal",
        description="What a measure is that corrects for chance where only one label occurs; papers print 1.",
    )
    divergence: Literal["distance", "divergence"] = Field(
        default="distance",
        title="Binned JSD",
        description="Of the Jensen-Shannon distance, as published numbers are, or of its square, the divergence, as "
        "the paper's equation has it.",
    )
    logarithm: Literal["e", "2"] = Field(
        default="e", title="Logarithm of the JSD", description="Natural, as published numbers are, or in bits."
    )
    draws: int = Field(
        default=100,
        ge=10,
        le=10_000,
        title="Random labellers",
        description="How many machines that label at random are the baseline.",
    )
    resamples: int = Field(
        default=1000, ge=100, le=100_000, title="Resamples", description="Bootstrap samples of the items."
    )
    level: float = Field(default=0.95, ge=0.5, le=0.999, title="Level", description="Of the intervals.")

    @property
    def constant_value(self) -> float:
        return 1.0 if self.constant == "1" else math.nan

    @property
    def base(self) -> float:
        return 2.0 if self.logarithm == "2" else math.e

    @property
    def squared(self) -> bool:
        return self.divergence == "divergence"
