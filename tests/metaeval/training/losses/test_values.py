"""Every loss is what its formula says, computed anew with NumPy; and what the metric of the same name says."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from annotations.ground.arrays import Codes, Matrix, Vector
from metaeval import metrics
from tests.metaeval.training.losses.drawn import Drawn, batches, relaxed
from tests.metaeval.training.needing import Imported, needs_training

torch = Imported("torch")
losses = Imported("metaeval.training.losses")

pytestmark = needs_training

PRECISIONS = [("float64", 1e-12), ("float32", 1e-6)]


def cross_entropies(batch: Drawn, p: Matrix, example: Codes | slice = slice(None)) -> Vector:
    """(rows,), of targets p of these examples."""
    terms = p * np.log(batch.q[example])
    if batch.task == "multilabel":
        terms += (1 - p) * np.log(batch.not_q[example])
    found: Vector = -terms.sum(axis=1)
    return found


def same(loss: Any, expected: float, dtype: str, tolerance: float) -> None:
    assert (loss.dtype, loss.shape) == (getattr(torch, dtype), ())
    np.testing.assert_allclose(loss.item(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@relaxed
@given(batch=batches)
def test_cross_entropy_divides_by_the_number_of_examples(batch: Drawn, dtype: str, tolerance: float) -> None:
    logits, p, w = batch.tensors("logits", "shares", "weight", dtype=dtype)
    rows = cross_entropies(batch, batch.shares)
    same(losses.CrossEntropy(batch.task)(logits, p), rows.mean(), dtype, tolerance)
    same(losses.CrossEntropy(batch.task)(logits, p, w), (batch.weight * rows).sum() / len(rows), dtype, tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@relaxed
@given(batch=batches)
def test_aggregation_takes_the_smallest_the_largest_or_the_mean_of_an_examples_losses(
    batch: Drawn, dtype: str, tolerance: float
) -> None:
    logits, given_labels = batch.tensors("logits", "given", dtype=dtype)
    example = torch.tensor(batch.example)
    rows = cross_entropies(batch, batch.given, batch.example).reshape(len(batch.logits), -1)
    for how, expected in (("min", rows.min(axis=1)), ("max", rows.max(axis=1)), ("mean", rows.mean(axis=1))):
        loss = losses.LossAggregation(batch.task, how)(logits, given_labels, example)
        same(loss, expected.mean(), dtype, tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@relaxed
@given(batch=batches)
def test_an_ensemble_counts_only_the_pairs_that_were_observed(batch: Drawn, dtype: str, tolerance: float) -> None:
    """The drawn examples are heads of one text here, and only every second pair of them has a target."""
    (logits,) = batch.tensors("logits", dtype=dtype)
    observed = np.arange(0, len(batch.given), 2)
    head = batch.example[observed]
    target = torch.tensor(batch.given[observed], dtype=getattr(torch, dtype))
    text = torch.zeros(len(observed), dtype=torch.int64)
    loss = losses.EnsembleCrossEntropy(batch.task)(logits[None], target, text, torch.tensor(head))
    same(loss, cross_entropies(batch, batch.given[observed], head).mean(), dtype, tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@relaxed
@given(batch=batches)
def test_divergence_is_one_minus_the_metric(batch: Drawn, dtype: str, tolerance: float) -> None:
    loss = losses.JensenShannon(batch.task)(*batch.tensors("logits", "shares", dtype=dtype))
    same(loss, 1 - metrics.po_jsd(batch.shares, batch.q, task=batch.task), dtype, tolerance)


def entropy_in_bits(p: Matrix) -> Matrix:
    """Over the last axis."""
    found: Matrix = -(p * np.log2(p, out=np.zeros_like(p), where=p > 0)).sum(axis=-1)
    return found


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@relaxed
@given(batch=batches)
def test_divergence_is_the_entropy_of_the_mean_minus_the_mean_of_the_entropies(
    batch: Drawn, dtype: str, tolerance: float
) -> None:
    loss = losses.JensenShannon(batch.task)(*batch.tensors("logits", "shares", dtype=dtype))
    p, q = batch.shares, batch.q
    if batch.task == "multilabel":
        p, q = np.stack((p, 1 - p), axis=-1), np.stack((q, 1 - q), axis=-1)
    expected = entropy_in_bits((p + q) / 2) - (entropy_in_bits(p) + entropy_in_bits(q)) / 2
    same(loss, expected.mean(), dtype, tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@relaxed
@given(batch=batches)
def test_soft_f1_losses_are_one_minus_their_formulas(batch: Drawn, dtype: str, tolerance: float) -> None:
    tensors = batch.tensors("logits", "shares", dtype=dtype)
    overlap, mass = 2 * np.minimum(batch.shares, batch.q), batch.shares + batch.q
    same(losses.SoftMicroF1(batch.task)(*tensors), 1 - overlap.sum() / mass.sum(), dtype, tolerance)
    same(losses.SoftMacroF1(batch.task)(*tensors), 1 - (overlap.sum(0) / mass.sum(0)).mean(), dtype, tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@relaxed
@given(batch=batches)
def test_soft_f1_losses_are_one_minus_the_metrics(batch: Drawn, dtype: str, tolerance: float) -> None:
    tensors = batch.tensors("logits", "shares", dtype=dtype)
    for loss, metric in ((losses.SoftMicroF1, metrics.soft_micro_f1), (losses.SoftMacroF1, metrics.soft_macro_f1)):
        same(loss(batch.task)(*tensors), 1 - metric(batch.shares, batch.q, task=batch.task), dtype, tolerance)
    if batch.task == "multiclass":
        accuracy = metrics.soft_accuracy(batch.shares, batch.q, task=batch.task)
        same(losses.SoftMicroF1(batch.task)(*tensors), 1 - accuracy, dtype, tolerance)
