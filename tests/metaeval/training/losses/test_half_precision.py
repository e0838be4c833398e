"""No logits in half precision, however large, make a loss or a gradient that is no number."""

from itertools import product
from typing import Any

import pytest

from metaeval.training.judgements import TrainedTask
from tests.metaeval.training.losses.drawn import TASKS, drawn
from tests.metaeval.training.needing import Imported, needs_training

torch = Imported("torch")
losses = Imported("metaeval.training.losses")

pytestmark = needs_training

LOSSES = {
    "CrossEntropy": lambda task: lambda z, p, y, example: losses.CrossEntropy(task)(z, p),
    "JensenShannon": lambda task: lambda z, p, y, example: losses.JensenShannon(task)(z, p),
    "SoftMicroF1": lambda task: lambda z, p, y, example: losses.SoftMicroF1(task)(z, p),
    "SoftMacroF1": lambda task: lambda z, p, y, example: losses.SoftMacroF1(task)(z, p),
    "EnsembleCrossEntropy": lambda task: (
        lambda z, p, y, example: losses.EnsembleCrossEntropy(task)(z[:, None], y, example, 0 * example)
    ),
    **{
        f"LA-{how}": lambda task, how=how: lambda z, p, y, example: losses.LossAggregation(task, how)(z, y, example)
        for how in ("min", "max", "mean")
    },
}


PRECISIONS = ("float16", "bfloat16", "float32", "float64")
KINDS = ("moderate", "large", "small", "both", "far apart", "hardly a number")


def logits_of(kind: str, rows: int, labels: int, dtype: str) -> Any:
    one = {
        "moderate": torch.linspace(-4, 4, rows * labels),
        "large": torch.full((rows * labels,), 1e4),
        "small": torch.full((rows * labels,), -1e4),
        "both": torch.tensor([1e4, -1e4]).repeat(rows * labels)[: rows * labels],
        "far apart": torch.tensor([60.0, -60.0, 0.0]).repeat(rows * labels)[: rows * labels],
        "hardly a number": torch.tensor([-95.0, -103.0, 0.0]).repeat(rows * labels)[: rows * labels],
    }[kind]
    return one.reshape(rows, labels).to(getattr(torch, dtype)).requires_grad_()


@pytest.mark.parametrize("name", LOSSES)
def test_loss_and_gradient_are_numbers(name: str) -> None:
    wrong = []
    for task, dtype, kind in product(TASKS, PRECISIONS, KINDS):
        batch = drawn(task, seed=1, examples=5, labels=4, each=3)
        logits = logits_of(kind, 5, 4, dtype)
        p, y = batch.tensors("shares", "given", dtype=dtype)
        p[:, 0] = y[:, 0] = 0  # a label that nobody gave
        loss = LOSSES[name](task)(logits, p, y, torch.tensor(batch.example))
        loss.backward()
        types = loss.dtype, logits.grad.dtype
        expected = torch.float64 if dtype == "float64" else torch.float32, getattr(torch, dtype)
        if types != expected or not torch.isfinite(loss) or not torch.isfinite(logits.grad).all():
            wrong.append((task, dtype, kind, loss, logits.grad))
    assert wrong == []


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("task", TASKS)
def test_half_precision_is_computed_in_float32(name: str, task: TrainedTask) -> None:
    batch = drawn(task, seed=2)
    p, y = batch.tensors("shares", "given", dtype="float32")
    half = batch.tensors("logits", dtype="bfloat16")[0]
    of_half, of_single = (LOSSES[name](task)(z, p, y, torch.tensor(batch.example)) for z in (half, half.float()))
    assert of_half.item() == of_single.item()


@pytest.mark.parametrize("task", TASKS)
def test_weights_in_half_precision_do_not_round_the_loss(task: TrainedTask) -> None:
    batch = drawn(task, seed=3)
    logits, p = batch.tensors("logits", "shares", dtype="bfloat16")
    weight = torch.tensor([1.0, 2.0, 0.5, 4.0, 1.5], dtype=torch.bfloat16)
    loss = losses.CrossEntropy(task)
    assert loss(logits, p, weight).item() == loss(logits, p, weight.float()).item()
