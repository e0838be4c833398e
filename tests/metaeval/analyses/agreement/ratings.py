"""Small datasets of ratings, and their analysis of agreement without a database."""

import numpy as np

from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import DatasetInputs
from metaeval.stats.agreement import Annotations

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""Shrout and Fleiss 1979, Table 2: six targets, four judges."""


def rated(item, annotator, label, *, points=tuple(range(1, 11)), task="ordinal"):
    """A dataset with these annotations, by default on a scale of ten points."""
    are_numbers = all(isinstance(point, int | float) for point in points)
    return DatasetInputs(
        slug="ratings",
        title="Ratings",
        task=task,
        labels=tuple(map(str, points)),
        values=tuple(map(float, points)) if are_numbers and task == "ordinal" else None,
        P=np.empty((0, len(points))),
        fingerprint="0" * 64,
        read_annotations=lambda: Annotations.from_columns(item, annotator, label, labels=points),
    )


def rated_by_all(ratings, **more):
    """One row per item, one column per annotator; None where an annotator gave no rating."""
    cells = [(i, f"p{j}", point) for i, row in enumerate(ratings) for j, point in enumerate(row) if point is not None]
    return rated(*map(list, zip(*cells, strict=True)), **more)


def agreement_of(inputs, **parameters):
    """The result of the analysis, as plain JSON."""
    entry = analyses.get("agreement")
    asked = entry.validated({"resamples": 100, "least_common": 1, **parameters})
    return result_of(inputs=inputs, entry=entry, parameters=asked, seed=1, work=Work(lambda *_: None))


def table_of(result, name):
    """That table, or None."""
    return next((table for table in result["tables"] if table["name"] == name), None)
