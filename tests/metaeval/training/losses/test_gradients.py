"""Gradients are those of finite differences, in float64 and away from kinks."""

from typing import Any

import numpy as np
import pytest

from metaeval.training.judgements import TrainedTask
from tests.metaeval.training.losses.drawn import TASKS, Drawn, drawn
from tests.metaeval.training.needing import Imported, needs_training

torch = Imported("torch")
losses = Imported("metaeval.training.losses")

pytestmark = needs_training

AWAY = 1e-4
"""How far from a kink: much more than the steps of the differences, 1e-6."""
SEEDS = range(3)


def batch(task: TrainedTask, seed: int) -> tuple[Drawn, Any]:
    found = drawn(task, seed, examples=6, labels=4, each=3, scale=2.0)
    return found, found.tensors("logits")[0].requires_grad_()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_of_cross_entropy(task: TrainedTask, seed: int) -> None:
    found, logits = batch(task, seed)
    p, w = found.tensors("shares", "weight")
    assert torch.autograd.gradcheck(lambda z: losses.CrossEntropy(task)(z, p, w), logits)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_of_an_ensemble(task: TrainedTask, seed: int) -> None:
    found, logits = batch(task, seed)
    (y,) = found.tensors("given")
    example, head = torch.tensor(found.example // 2), torch.tensor(found.example % 2)
    loss = losses.EnsembleCrossEntropy(task)
    assert torch.autograd.gradcheck(lambda z: loss(z.reshape(3, 2, 4), y, example, head), logits)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_of_the_divergence(task: TrainedTask, seed: int) -> None:
    found, logits = batch(task, seed)
    (p,) = found.tensors("shares")
    assert (found.shares == 0).any()  # where a term of the divergence has no logarithm
    assert torch.autograd.gradcheck(lambda z: losses.JensenShannon(task)(z, p), logits)


@pytest.mark.parametrize("loss", ["SoftMicroF1", "SoftMacroF1"])
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_of_soft_f1(loss: str, task: TrainedTask, seed: int) -> None:
    found, logits = batch(task, seed)
    (p,) = found.tensors("shares")
    assert np.abs(found.q - found.shares).min() > AWAY
    assert torch.autograd.gradcheck(lambda z: getattr(losses, loss)(task)(z, p), logits)


@pytest.mark.parametrize("how", ["min", "max", "mean"])
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_of_aggregation(how: str, task: TrainedTask, seed: int) -> None:
    found, logits = batch(task, seed)
    (y,) = found.tensors("given")
    example = torch.tensor(found.example)
    each = [losses.CrossEntropy(task)(logits[i : i + 1], y[r : r + 1]).item() for r, i in enumerate(found.example)]
    apart = [np.diff(np.unique(np.round(three, 12))) for three in np.reshape(each, (6, 3))]
    assert min(gap for gaps in apart for gap in gaps) > AWAY
    assert torch.autograd.gradcheck(lambda z: losses.LossAggregation(task, how)(z, y, example), logits)


@pytest.mark.parametrize("loss", ["SoftMicroF1", "SoftMacroF1"])
def test_at_a_kink_the_gradient_is_that_of_the_side_on_which_q_is_larger(loss: str) -> None:
    p = torch.tensor([[0.5]], dtype=torch.float64)
    slopes = []
    for logit in (0.0, 1e-9, -1e-9):
        z = torch.tensor([[logit]], dtype=torch.float64, requires_grad=True)
        getattr(losses, loss)("multilabel")(z, p).backward()
        slopes.append(z.grad.item())
    at, above, below = slopes
    assert at == pytest.approx(above, abs=1e-6)
    assert below == pytest.approx(-above, abs=1e-6)
    assert above == pytest.approx(0.25)  # the derivative of 1 - 2 * 0.5 / (0.5 + q), times that of q, 1/4
