"""Random batches: people, what they said, and logits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from annotations.ground.arrays import Codes, Matrix, Vector
from metaeval.training.judgements import TrainedTask
from tests.metaeval.training.needing import Imported

torch = Imported("torch")


@dataclass(frozen=True)
class Drawn:
    """B examples with `each` annotations of K labels: logits (B, K), y (R, K), the example of each, shares (B, K), and
    weights (B,).
    """

    task: TrainedTask
    logits: Matrix
    given: Matrix
    example: Codes
    shares: Matrix
    weight: Vector

    @property
    def q(self) -> Matrix:
        """By the definition, in float64."""
        if self.task == "multilabel":
            q: Matrix = 1 / (1 + np.exp(-self.logits))
        else:
            exponentials = np.exp(self.logits)
            q = exponentials / exponentials.sum(axis=1, keepdims=True)
        return q

    @property
    def not_q(self) -> Matrix:
        """1 - q of several labels, from the logits: of a q near 1, the difference has lost its digits."""
        not_q: Matrix = 1 / (1 + np.exp(self.logits))
        return not_q

    def tensors(self, *names: str, dtype: str = "float64") -> list[Any]:
        return [torch.tensor(getattr(self, name), dtype=getattr(torch, dtype)) for name in names]


def drawn(
    task: TrainedTask, seed: int, *, examples: int = 5, labels: int = 3, each: int = 4, scale: float = 3.0
) -> Drawn:
    rng = np.random.default_rng(seed)
    rows = examples * each
    given = (
        (rng.random((rows, labels)) < 0.4).astype(float)
        if task == "multilabel"
        else np.eye(labels)[rng.integers(labels, size=rows)]
    )
    # As float32 holds them, so that both precisions are given the same.
    logits = rng.normal(scale=scale, size=(examples, labels)).astype(np.float32).astype(np.float64)
    return Drawn(
        task,
        logits,
        given,
        np.repeat(np.arange(examples), each),
        given.reshape(examples, each, labels).mean(axis=1),
        rng.uniform(0.5, 3, size=examples).astype(np.float32).astype(np.float64),
    )


TASKS: tuple[TrainedTask, ...] = ("multiclass", "multilabel")

relaxed = settings(deadline=None, max_examples=50)  # the first example loads what computes it

batches = st.builds(
    drawn,
    task=st.sampled_from(TASKS),
    seed=st.integers(0, 2**32 - 1),
    examples=st.integers(1, 9),
    labels=st.integers(2, 6),
    each=st.integers(1, 5),
    scale=st.sampled_from([0.1, 1.0, 4.0]),
)
