"""The parameters of the analysis of agreement."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from metaeval.analyses.base.parameters import Absent, Level, ResamplesOfItems, StudyParameters
from metaeval.analyses.inputs.judged_items import Judges, Step
from metaeval.stats import IntervalMethod
from metaeval.stats.agreement import KappaWeighting
from metaeval.stats.uncertainty.items import BOUNDS

Distance = Literal["default", "nominal", "ordinal", "interval", "ratio", "jaccard", "masi"]
Grouping = Literal["agreement", "different_labels", "systems"]


def _rising(bounds: list[float]) -> list[float]:
    if not all(low < high for low, high in pairwise([0.0, *bounds])) or bounds[-1] > 1:
        msg = f"the bounds are {bounds}; expected increasing numbers, above 0 and at most 1"
        raise ValueError(msg)
    return bounds


Bounds = Annotated[list[float], AfterValidator(_rising)]
"""Bounds of partitions by percentage agreement."""


class AgreementParameters(StudyParameters):
    """Parameters of `agreement`."""

    steps: list[Step] = Field(default=["labels", "preferences"], min_length=1, title="Steps")
    """For a study: the labels of step 1, the preferences of step 2, or both."""
    judges: Judges = Field(default="people", title="Judges")
    """For votes: those of people, of machines, or all."""
    distance: Distance = Field(default="default", title="Distance")
    """The distance for alpha in partitions and pairs. The default is MASI for sets of labels, ordinal for a scale, and
    nominal otherwise. The table of measures shows every distance that suits the labels."""
    partitions: list[Grouping] = Field(default=["agreement", "different_labels", "systems"], title="Partitions")
    """How items are grouped: by the share of people who gave the most frequent label (or the median), by how many
    different labels were given, or by the system that was judged."""
    bounds: Bounds = Field(default=list(BOUNDS), min_length=1, title="Bounds of the agreement groups")
    """Increasing shares, at most 1; the default follows Elangovan et al. (2025)."""
    least_annotations: int = Field(default=1, ge=1, le=1000, title="Minimum judgements per item")
    """Items judged by fewer people are left out."""
    percentage_minimum: Annotated[int, Absent(0)] = Field(
        default=2, ge=0, le=1000, title="Minimum judgements for percentage agreement"
    )
    """Items with fewer are left out of it, and counted. If below 2, an item with one judgement counts as 0."""
    least_common: int = Field(default=5, ge=1, le=100_000, title="Minimum items in common per pair")
    """Pairs of people with fewer items in common are left out of the pairs and of their mean."""
    weighting: Annotated[KappaWeighting, Absent("none")] = Field(default="none", title="Weights of Cohen’s kappa")
    """For labels that are points on a scale: the weight of a disagreement is the number of points between the two
    answers, or its square. Labels without an order have no weights."""
    constant: Literal["undefined", "1"] = Field(default="undefined", title="If all judgements are equal")
    """The value of a chance-corrected measure if everybody always gives the same answer; published papers print 1."""
    resamples: ResamplesOfItems = 1000
    level: Level = 0.95
    interval: IntervalMethod = Field(default="percentile", title="Interval")
    """The quantiles of the resamples, or corrected for bias and skewness (BCa)."""

    @property
    def constant_value(self) -> float:
        return 1.0 if self.constant == "1" else math.nan
