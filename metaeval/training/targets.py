"""What a method learns from: examples, and what is to be predicted for each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from annotations.ground.arrays import Codes, Counts, Matrix, Vector
from metaeval.training.judgements import HumanJudgements

ONLY_HEAD = ("",)
"""The heads of a model that has one."""


@dataclass(frozen=True)
class Targets:
    """E examples with R rows of targets, at least one for each example.

    An example is a text that the model reads once. Most have one row; those of an annotator ensemble have one for
    every person, those of loss aggregation one for every annotation.
    """

    instance: Codes
    """(E,) the instance whose text is read."""
    example: Codes
    """(R,) the example of each row, ascending."""
    value: Matrix
    """(R, K) float64 in [0, 1], what is to be predicted."""
    head: Codes
    """(R,) which of the model's output layers is to predict it."""
    weight: Vector
    """(E,) float64, by which the example's loss is multiplied."""
    times: Counts
    """(E,) how often the example occurs in an epoch."""
    heads: tuple[str, ...] = field(default=ONLY_HEAD)
    """What the output layers are called; annotators' codes if there is one for each."""

    def __len__(self) -> int:
        return len(self.instance)

    @classmethod
    def one_each(cls, judgements: HumanJudgements, value: Matrix, *, weight: Vector | None = None) -> Targets:
        """One example with one row for each instance that has an annotation, from a value (N, K), and perhaps a weight
        (N,), for each instance.
        """
        annotated = judgements.annotated
        return cls.of_rows(annotated, value[annotated], weight=None if weight is None else weight[annotated])

    @classmethod
    def of_rows(
        cls, instance: Codes, value: Matrix, *, weight: Vector | None = None, times: Counts | None = None
    ) -> Targets:
        """One example for every row: the instance that it is about, and the target."""
        size = len(value)
        return cls(
            instance=np.asarray(instance, dtype=np.int64),
            example=np.arange(size),
            value=np.asarray(value, dtype=np.float64),
            head=np.zeros(size, dtype=np.int64),
            weight=np.ones(size) if weight is None else np.asarray(weight, dtype=np.float64),
            times=np.ones(size, dtype=np.int64) if times is None else np.asarray(times, dtype=np.int64),
        )

    @property
    def per_epoch(self) -> int:
        """How many examples an epoch has."""
        return int(self.times.sum())
