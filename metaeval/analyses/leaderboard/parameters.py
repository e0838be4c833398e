"""The parameters of the leaderboard."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.parameters import Absent, Parameters, ResamplesOfItems, choices
from metaeval.metrics.perspectivist import FrequentSets
from metaeval.stats.ranking.wilcoxon import MissingPlaces, Positions, ZeroMethod

Board = Literal["soft", "perspectivist"]
Baseline = Literal["most_frequent", "random"]
TITLES: dict[Board, str] = {
    "soft": "Task A, soft labels",
    "perspectivist": "Task B, perspectivist",
}


class Leaderboard(Parameters):
    """Parameters of `leaderboard`."""

    tasks: list[Board] = Field(default=["soft", "perspectivist"], min_length=1, title="Tasks")
    """Predicted distributions (soft labels, task A), predicted answers of every annotator (perspectivist, task B), or
    both."""
    training: list[str] = Field(default=[], title="Training data")
    """For the most-frequent baseline: EVALUATED=TRAINING names two datasets by their slugs; TRAINING alone is for all
    datasets with its labels. Training data are not evaluated themselves, unless they have training data of their
    own."""
    baselines: list[Baseline] = Field(default=["most_frequent", "random"], title="Baselines")
    """Most frequent: the mean distribution and each annotator's most frequent label in the training data. Random: any
    distribution or label, all equally likely."""
    most_frequent_sets: Annotated[FrequentSets, Absent("sets")] = Field(
        default="labels", title="Most frequent set of labels"
    )
    """For an annotator: the labels in most of their sets (labels, as published), or their most frequent whole set
    (sets)."""
    missing: Annotated[Literal["random", "most_frequent", "undefined"], Absent("most_frequent")] = Field(
        default="random", title="Missing submissions"
    )
    """Score them like this baseline (random, as published), or leave the system's average position undefined."""
    missing_places: Annotated[MissingPlaces, Absent("own")] = Field(
        default="shared", title="Places of missing submissions"
    )
    """A missing submission shares the place of its baseline and moves no other system (shared), or counts as one more
    system in that place (own)."""
    soft_metric: str | None = Field(default=None, title="Metric for soft labels", json_schema_extra=choices("metrics"))
    """Any metric that is a mean over instances. The default is the average Wasserstein distance on a scale, and the
    average Manhattan distance otherwise."""
    perspectivist_metric: Literal["published", "error_rate"] = Field(
        default="published", title="Metric for single annotations"
    )
    """Published: the average normalised absolute distance on a scale, the multilabel error rate for sets of labels, and
    the error rate otherwise. Or the error rate of whole answers everywhere."""
    divisor: Literal["points", "range"] = Field(default="points", title="Divisor of the absolute distance")
    """The number of points on the scale (11 for -5 to 5), as the organisers scored, or its range (10), as their paper
    says."""
    level: float = Field(default=0.05, ge=0.0001, le=0.5, title="Significance level")
    """A system opens a new cluster if Wilcoxon's p against the best system of the cluster is below this level."""
    zero_method: ZeroMethod = Field(default="wilcox", title="Equal scores")
    """How Wilcoxon's test treats differences of 0."""
    positions: Positions = Field(default="competition", title="Positions")
    """After two systems that share first place comes the third place (competition) or the second (dense)."""
    resamples: ResamplesOfItems = 1000
    confidence: float = Field(default=0.95, ge=0.5, le=0.999, title="Confidence")
    """For the intervals of scores."""
    items: bool = Field(default=False, title="Scores per item")
    """Add a table with every system's score of every item."""
