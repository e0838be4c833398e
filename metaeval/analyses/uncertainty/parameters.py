"""The parameters of analyses that compare people's labels with those of machines."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from metaeval.analyses.agreement.parameters import Bounds
from metaeval.analyses.base.parameters import Level, MetricNames, ResamplesOfItems, StudyParameters, choices
from metaeval.stats.uncertainty import Ties
from metaeval.stats.uncertainty.items import BOUNDS

Units = Literal["methods", "each", "all"]
Grouping = Literal["agreement", "different_labels"]


class MachineParameters(StudyParameters):
    """Which machines, and which items."""

    units: Units = Field(default="methods", title="Machine labels to combine")
    """For a dataset: those of the runs of one model and method, each system's alone, or those of all systems. For
    votes: each machine's alone, or (all) those of all machines."""
    systems: list[str] = Field(default=[], title="Systems", json_schema_extra=choices("systems"))
    """For a dataset: the systems to compare with people; for votes: only votes between two of these systems. If none
    are named, all."""
    label: str | None = Field(default=None, title="Label", json_schema_extra=choices("labels"))
    """For a dataset: compare only whether this label was given. If none is named, all labels; if people give sets of
    labels, every label of every instance is a decision of its own."""
    least_annotations: int = Field(default=2, ge=1, le=1000, title="Minimum human judgements per item")
    """Items judged by fewer people are left out; one judgement says nothing about uncertainty."""
    ties: Ties = Field(default="label order", title="Ties of the majority")
    """Which of several most frequent labels represents people: the first in the order of the labels, or the one that
    was given first, as in published numbers."""
    metrics: MetricNames = Field(default=[], title="Metrics as judges", json_schema_extra=choices("metrics"))
    """For a study: the metrics that judge its comparisons as a machine would. The default is those of the task's six
    that have a value for every instance."""
    nearness: Literal["experts", "dataset"] = Field(default="experts", title="Closer to what")
    """For a study: a metric prefers the side that is closer to the experts' own labels of step 1 or, in studies that
    compare systems with systems, to the people of the dataset."""
    margin: float = Field(default=0.0, ge=0, le=1, title="Margin")
    """For a study: a metric chooses both sides if its values differ by no more than this."""


class Uncertainty(MachineParameters):
    """Parameters of `uncertainty`."""

    partitions: list[Grouping] = Field(default=["agreement", "different_labels"], title="Partitions")
    """How items are grouped: by the share of people who gave the majority label (or the median), and by how many
    different labels people gave."""
    bounds: Bounds = Field(default=list(BOUNDS), min_length=1, title="Bounds of the agreement groups")
    """Increasing shares, at most 1; the default follows Elangovan et al. (2025)."""
    constant: Literal["undefined", "1"] = Field(default="undefined", title="If all judgements are equal")
    """The value of a chance-corrected measure if only one label occurs; published papers print 1."""
    divergence: Literal["distance", "divergence"] = Field(default="distance", title="Binned JSD")
    """From the Jensen-Shannon distance, as in published numbers, or from its square, the divergence, as in the paper's
    equation."""
    logarithm: Literal["e", "2"] = Field(default="e", title="Logarithm of the JSD")
    """Natural, as in published numbers, or in bits."""
    draws: int = Field(default=100, ge=10, le=10_000, title="Random labellers")
    """How many machines that label at random form the baseline."""
    resamples: ResamplesOfItems = 1000
    level: Level = 0.95

    @property
    def constant_value(self) -> float:
        return 1.0 if self.constant == "1" else math.nan

    @property
    def base(self) -> float:
        return 2.0 if self.logarithm == "2" else math.e

    @property
    def squared(self) -> bool:
        return self.divergence == "divergence"
