"""What each metric rewards in the smallest case: one instance with two labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval import metrics
from metaeval.analyses.metric_relationship.result import BinaryCurve

SHARES_OF_PEOPLE = (0.5, 0.7, 0.9, 1.0)
POINTS = 101


def binary_curves(names: Sequence[str]) -> list[BinaryCurve]:
    """Every per-instance metric of [p, 1 - p] against [q, 1 - q], as q goes from 0 to 1.

    One curve for each share p of people; of equal probabilities, the first label counts as the largest.
    """
    entries = [entry for entry in map(metrics.get, names) if entry.works_per_item]
    q = np.arange(POINTS) / (POINTS - 1)
    predicted = np.column_stack([q, 1 - q])
    return [
        BinaryCurve(
            metric=entry.name,
            lower_is_better=entry.orientation == "lower",
            people=p,
            values=metrics.per_item(np.tile([p, 1 - p], (POINTS, 1)), predicted, "multiclass", entry.name).tolist(),
        )
        for p in SHARES_OF_PEOPLE
        for entry in entries
    ]
