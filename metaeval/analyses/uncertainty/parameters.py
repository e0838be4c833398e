"""The parameters of the analysis of human uncertainty."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from metaeval.analyses.agreement.parameters import Bounds
from metaeval.analyses.uncertainty.machine_parameters import MachineParameters
from metaeval.stats.uncertainty.items import BOUNDS

Grouping = Literal["agreement", "different_labels"]


class Uncertainty(MachineParameters):
    """Parameters of `uncertainty`."""

    partitions: list[Grouping] = Field(
        default=["agreement", "different_labels"],
        title="Partitions",
        description="How items are grouped: by the share of people who gave the majority label (or the "
        "median), and by how many different labels people gave.",
    )
    bounds: Bounds = Field(
        default=list(BOUNDS),
        min_length=1,
        title="Bounds of the agreement groups",
        description="Increasing shares, at most 1; the default follows Elangovan et al. (2025).",
    )
    constant: Literal["undefined", "1"] = Field(
        default="undefined",
        title="If all judgements are equal",
        description="The value of a chance-corrected measure if only one label occurs; published papers print 1.",
    )
    divergence: Literal["distance", "divergence"] = Field(
        default="distance",
        title="Binned JSD",
        description="From the Jensen-Shannon distance, as in published numbers, or from its square, the "
        "divergence, as in the paper's equation.",
    )
    logarithm: Literal["e", "2"] = Field(
        default="e", title="Logarithm of the JSD", description="Natural, as in published numbers, or in bits."
    )
    draws: int = Field(
        default=100,
        ge=10,
        le=10_000,
        title="Random labellers",
        description="How many machines that label at random form the baseline.",
    )
    resamples: int = Field(
        default=1000,
        ge=100,
        le=100_000,
        title="Resamples",
        description="How many bootstrap samples of the items are drawn.",
    )
    level: float = Field(
        default=0.95, ge=0.5, le=0.999, title="Level", description="The confidence level of the intervals."
    )

    @property
    def constant_value(self) -> float:
        return 1.0 if self.constant == "1" else math.nan

    @property
    def base(self) -> float:
        return 2.0 if self.logarithm == "2" else math.e

    @property
    def squared(self) -> bool:
        return self.divergence == "divergence"
