"""What a result says it is about."""

from __future__ import annotations

from typing import Literal

from metaeval.analyses.inputs.parts import Sparse


class StatedDataset(Sparse):
    """One of the datasets that a result is about."""

    kind: Literal["dataset"]
    slug: str
    title: str
    dataset: str | None = None
    task: str | None = None


class Stated(Sparse):
    """What the result is about; which fields there are depends on its kind."""

    kind: Literal["study", "dataset", "votes", "datasets", "nothing"]
    slug: str | None
    title: str
    dataset: str | None = None
    task: str | None = None
    compares: str | None = None
    state: str | None = None
    datasets: list[StatedDataset] | None = None
