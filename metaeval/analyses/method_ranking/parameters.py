"""The parameters of the ranking of methods."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from metaeval.analyses.base.earlier import Absent
from metaeval.analyses.base.parameters import StudyParameters
from metaeval.analyses.inputs.fractions import Both, Weights
from metaeval.analyses.inputs.judged_items import Judges
from metaeval.analyses.method_ranking.contests import Cluster, Units
from metaeval.stats.ranking import Ties
from metaeval.stats.ranking.strengths import PRIOR

Method = Literal["preference_fraction", "rank_centrality", "bradley_terry", "davidson", "bradley_terry_map"]
METHODS: tuple[Method, ...] = get_args(Method)
USUAL: tuple[Method, ...] = METHODS[:4]
"""What is ranked by unless something else is asked for."""


class MethodRanking(StudyParameters):
    """Parameters of `method_ranking`."""

    units: Units = Field(
        default="methods",
        title="Rank",
        description="Methods, single systems, or models. Votes name systems only.",
    )
    scopes: list[Literal["pooled", "per_model"]] = Field(
        default=["pooled", "per_model"],
        min_length=1,
        title="Over",
        description="The systems of all models together, those of each model alone, or both.",
    )
    rankings: list[Method] = Field(
        default=list(USUAL),
        min_length=1,
        title="Ranked by",
        description="The preference fraction, or a model. Bradley-Terry with a prior (bradley_terry_map) is for "
        "studies that are one-sided or not connected, where the other models have no finite strengths.",
    )
    prior: Annotated[float, Absent(PRIOR)] = Field(
        default=PRIOR,
        gt=0,
        le=1000,
        title="Prior",
        description="Of Bradley-Terry with a prior: so many comparisons with an average system has each system won, "
        "and lost, before any was made. More of them pull strengths together.",
    )
    both: Both = Field(
        default="1",
        title="A response of “both” counts",
        description="What it adds to a preference fraction (studies; of votes, see the ties).",
    )
    weights: Weights = Field(
        default="none",
        title="Weights",
        description="Of preference fractions: responses count alike, or by the certainty that the expert stated.",
    )
    ties: Ties = Field(
        default="decisive",
        title="Ties",
        description="Of rank centrality, Bradley-Terry and the fractions of votes: left out, counted in the divisor "
        "(Bradley-Terry leaves them out), or half a win for each. Davidson models them.",
    )
    judges: Judges = Field(
        default="people", title="Judges", description="Of votes: those of people, of machines, or all."
    )
    cluster: Cluster = Field(
        default="instances",
        title="Resampled together",
        description="The responses to one instance, those of one person, or each alone; fractions of a study "
        "resample comparisons and experts.",
    )
    resamples: int = Field(
        default=1000, ge=100, le=100_000, title="Resamples", description="Bootstrap samples of the responses."
    )
    level: float = Field(default=0.95, ge=0.5, le=0.999, title="Level", description="Of the intervals.")
