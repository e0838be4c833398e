"""Human annotations in the form that the measures of agreement need, from rows stored anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from metaeval.analyses.inputs.datasets import Annotated
from metaeval.stats.agreement import Annotations, SetAnnotations

Row = tuple[int, str, Sequence[int], int]
"""Position of the instance, code of the annotator (empty: unknown), positions of the labels, how many people."""


def annotated(
    rows: Iterable[Row], *, task: str, names: Sequence[str], scale: Sequence[float] | None, instances: int
) -> Annotated | None:
    """Rows as columns; annotations stored as a count become that many rows. None if there are none."""
    item: list[int] = []
    people: list[str] = []
    chosen: list[Sequence[int]] = []
    for position, annotator, labels, count in rows:
        item += [position] * count
        people += [annotator] * count
        chosen += [labels] * count
    if not item:
        return None
    items = range(instances)
    known = people if all(people) else None
    if task == "multilabel":
        sizes = np.fromiter(map(len, chosen), dtype=np.int64, count=len(chosen))
        flat = np.fromiter((label for labels in chosen for label in labels), dtype=np.int64, count=int(sizes.sum()))
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        return SetAnnotations.from_offsets(item, known, flat, offsets, labels=names, items=items)
    points = names if scale is None else scale
    said = [points[labels[0]] if labels else None for labels in chosen]
    return Annotations.from_columns(item, known, said, labels=points, items=items)
