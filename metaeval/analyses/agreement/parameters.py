"""The parameters of the analysis of agreement."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from metaeval.analyses.base.earlier import Absent
from metaeval.analyses.base.parameters import StudyParameters
from metaeval.analyses.inputs.judged_items import Judges, Step
from metaeval.stats import IntervalMethod
from metaeval.stats.agreement import KappaWeighting
from metaeval.stats.uncertainty.partitions import BOUNDS

Distance = Literal["default", "nominal", "ordinal", "interval", "ratio", "jaccard", "masi"]
Grouping = Literal["agreement", "different_labels", "systems"]


def _rising(bounds: list[float]) -> list[float]:
    if not all(low < high for low, high in pairwise([0.0, *bounds])) or bounds[-1] > 1:
        msg = f"the bounds are {bounds}; expected numbers that rise, above 0 and at most 1"
        raise ValueError(msg)
    return bounds


Bounds = Annotated[list[float], AfterValidator(_rising)]
"""Bounds of partitions by percentage agreement."""


class AgreementParameters(StudyParameters):
    """Parameters of `agreement`."""

    steps: list[Step] = Field(
        default=["labels", "preferences"],
        min_length=1,
        title="Steps",
        description="Of a study: the labels of step 1, the preferences of step 2, or both.",
    )
    judges: Judges = Field(
        default="people", title="Judges", description="Of votes: those of people, of machines, or all."
    )
    distance: Distance = Field(
        default="default",
        title="Distance",
        description="Of alpha in partitions and pairs; the default is MASI for sets of labels, ordinal for a scale, "
        "else nominal. The table of measures has all that the labels can have.",
    )
    partitions: list[Grouping] = Field(
        default=["agreement", "different_labels", "systems"],
        title="Partitions",
        description="Groups of items: by the share of people who gave the most frequent label (or the median), by how "
        "many different labels were given, by the system that was judged.",
    )
    bounds: Bounds = Field(
        default=list(BOUNDS),
        min_length=1,
        title="Bounds of the partitions by agreement",
        description="Shares that rise to at most 1; the default is that of Elangovan et al. (2025).",
    )
    least_annotations: int = Field(
        default=1,
        ge=1,
        le=1000,
        title="Least judgements of an item",
        description="Items that fewer people judged are left out.",
    )
    percentage_minimum: Annotated[int, Absent(0)] = Field(
        default=2,
        ge=0,
        le=1000,
        title="Least judgements for percentage agreement",
        description="Items with fewer are left out of it, and counted. Below 2, an item with one judgement counts 0.",
    )
    least_common: int = Field(
        default=5,
        ge=1,
        le=100_000,
        title="Least common items of a pair",
        description="Pairs of people with fewer items in common are left out of the pairs and their mean.",
    )
    weighting: Annotated[KappaWeighting, Absent("none")] = Field(
        default="none",
        title="Weights of Cohen’s kappa",
        description="Of labels that are points of a scale: two answers disagree by the places between them, or by the "
        "square of that. Labels without an order have no weights.",
    )
    constant: Literal["undefined", "1"] = Field(
        default="undefined",
        title="All judgements equal",
        description="What a measure is that corrects for chance where everybody always says the same; papers print 1.",
    )
    resamples: int = Field(
        default=1000, ge=100, le=100_000, title="Resamples", description="Bootstrap samples of the items."
    )
    level: float = Field(default=0.95, ge=0.5, le=0.999, title="Level", description="Of the intervals.")
    interval: IntervalMethod = Field(
        default="percentile",
        title="Interval",
        description="The quantiles of the resamples, or corrected for bias and skewness (BCa).",
    )

    @property
    def constant_value(self) -> float:
        return 1.0 if self.constant == "1" else math.nan
