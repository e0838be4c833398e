"""The parameters of the ranking of methods."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from metaeval.analyses.base.parameters import Absent, Level, StudyParameters
from metaeval.analyses.inputs.fractions import Both, Weights
from metaeval.analyses.inputs.judged_items import Judges
from metaeval.stats.ranking import Ties
from metaeval.stats.ranking.strengths import PRIOR

Units = Literal["methods", "systems", "models"]
Cluster = Literal["instances", "people", "responses"]
Method = Literal["preference_fraction", "rank_centrality", "bradley_terry", "davidson", "bradley_terry_map"]
METHODS: tuple[Method, ...] = get_args(Method)
USUAL: tuple[Method, ...] = METHODS[:4]
"""The default methods of ranking."""
TITLES: dict[Method, str] = {
    "preference_fraction": "Preference fraction",
    "rank_centrality": "Rank centrality",
    "bradley_terry": "Bradley-Terry",
    "davidson": "Davidson",
    "bradley_terry_map": "Bradley-Terry with a prior",
}
SHARES: frozenset[Method] = frozenset({"preference_fraction", "rank_centrality"})
"""Those whose strengths are shares of a whole."""


class MethodRanking(StudyParameters):
    """Parameters of `method_ranking`."""

    units: Units = Field(default="methods", title="Rank")
    """Methods, single systems, or models. Votes can only rank systems."""
    scopes: list[Literal["pooled", "per_model"]] = Field(default=["pooled", "per_model"], min_length=1, title="Over")
    """The systems of all models together, those of each model alone, or both."""
    rankings: list[Method] = Field(default=list(USUAL), min_length=1, title="Ranked by")
    """The preference fraction, or a model. Bradley-Terry with a prior (bradley_terry_map) is for studies that are
    one-sided or not connected, for which the other models give no finite strengths."""
    prior: Annotated[float, Absent(PRIOR)] = Field(default=PRIOR, gt=0, le=1000, title="Prior")
    """For Bradley-Terry with a prior: how many comparisons with an average system each system is assumed to have won,
    and lost, beforehand. Larger values pull strengths together."""
    both: Both = Field(default="1", title="A response of “both” counts")
    """What it adds to a preference fraction (studies; for votes, see the ties)."""
    weights: Weights = Field(default="none", title="Weights")
    """For preference fractions: responses count equally, or by the certainty that the expert stated."""
    ties: Ties = Field(default="decisive", title="Ties")
    """For rank centrality, Bradley-Terry and the fractions of votes: left out, counted in the divisor (Bradley-Terry
    leaves them out), or half a win for each. Davidson models them."""
    judges: Judges = Field(default="people", title="Judges")
    """For votes: those of people, of machines, or all."""
    cluster: Cluster = Field(default="instances", title="Resampled together")
    """The responses to one instance, those of one person, or each response alone; for the fractions of a study,
    comparisons and experts are resampled."""
    resamples: int = Field(default=1000, ge=100, le=100_000, title="Resamples")
    """How many bootstrap samples of the responses are drawn."""
    level: Level = 0.95
