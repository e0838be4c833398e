"""How the methods' losses depend on one another."""

import numpy as np
import pytest
from hypothesis import given

from metaeval.training.judgements import UNKNOWN, HumanJudgements, TrainedTask
from tests.metaeval.training.losses.batches import loss_of
from tests.metaeval.training.losses.drawn import TASKS, Drawn, batches, drawn, relaxed
from tests.metaeval.training.needing import Imported, needs_training

torch = Imported("torch")
losses = Imported("metaeval.training.losses")

pytestmark = needs_training


def judgements_of(batch: Drawn) -> HumanJudgements:
    rows, labels = batch.given.shape
    return HumanJudgements(
        task=batch.task,
        labels=tuple(map(str, range(labels))),
        size=len(batch.logits),
        instance=batch.example,
        person=np.full(rows, UNKNOWN),
        chosen=batch.given,
        count=np.ones(rows, dtype=np.int64),
    )


@relaxed
@given(batch=batches)
def test_the_mean_in_place_of_min_or_max_is_soft_labels(batch: Drawn) -> None:
    y, p = batch.tensors("given", "shares")
    values = []
    for loss in (
        lambda z: losses.LossAggregation(batch.task, "mean")(z, y, torch.tensor(batch.example)),
        lambda z: losses.CrossEntropy(batch.task)(z, p),
    ):
        (z,) = batch.tensors("logits")
        value = loss(z.requires_grad_())
        value.backward()
        values.append([value.item(), *z.grad.flatten().tolist()])
    np.testing.assert_allclose(values[0], values[1], rtol=1e-12, atol=1e-14)


@relaxed
@given(batch=batches)
def test_with_equally_many_annotations_repeated_labelling_is_soft_labels(batch: Drawn) -> None:
    repeated, soft = (loss_of(name, judgements_of(batch), batch.logits[:, None]) for name in ("ReL", "SL"))
    np.testing.assert_allclose(repeated[0], soft[0], rtol=1e-12)
    np.testing.assert_allclose(repeated[1], soft[1], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("task", TASKS)
def test_a_drawn_annotation_per_text_has_the_gradient_of_soft_labels_on_average(task: TrainedTask) -> None:
    """So that annotations may be sampled for each epoch. Over every way to draw one of two for each of four texts."""
    batch = drawn(task, seed=4, examples=4, each=2)
    (p,) = batch.tensors("shares")
    pairs = batch.given.reshape(4, 2, -1)
    ways = np.stack(np.meshgrid(*[[0, 1]] * 4), axis=-1).reshape(-1, 4)
    gradients = []
    for way in ways:
        (z,) = batch.tensors("logits")
        losses.CrossEntropy(task)(z.requires_grad_(), torch.tensor(pairs[np.arange(4), way])).backward()
        gradients.append(z.grad.numpy())
    (z,) = batch.tensors("logits")
    losses.CrossEntropy(task)(z.requires_grad_(), p).backward()
    assert np.ptp(gradients, axis=0).max() > 0.01
    np.testing.assert_allclose(np.mean(gradients, axis=0), z.grad.numpy(), rtol=0, atol=1e-15)


@pytest.mark.parametrize("task", TASKS)
def test_unequally_many_annotations_tell_repeated_labelling_from_soft_labels(task: TrainedTask) -> None:
    given_all = judgements_of(drawn(task, seed=5, examples=3, each=4))
    kept = np.array([0, 4, 5, 8, 9, 10, 11])
    unequal = HumanJudgements(
        task, given_all.labels, 3, given_all.instance[kept], given_all.person[kept], given_all.chosen[kept],
        given_all.count[kept],
    )  # fmt: skip
    logits = drawn(task, seed=5, examples=3, each=4).logits[:, None]
    repeated, soft = (loss_of(name, unequal, logits)[0] for name in ("ReL", "SL"))
    assert abs(repeated - soft) > 0.01


@pytest.mark.parametrize("name", ["ReL", "MV", "SL", "SLMV", "JSD", "SmF1", "SMF1", "LA-min", "LA-max"])
def test_a_row_for_many_people_is_the_same_as_a_row_for_each(name: str) -> None:
    together = HumanJudgements(
        task="multiclass",
        labels=("a", "b", "c"),
        size=2,
        instance=np.array([0, 0, 1]),
        person=np.full(3, UNKNOWN),
        chosen=np.eye(3),
        count=np.array([3, 1, 2]),
    )
    rows = np.repeat(np.arange(3), together.count)
    apart = HumanJudgements(
        "multiclass", together.labels, 2, together.instance[rows], together.person[rows], together.chosen[rows],
        np.ones(6, dtype=np.int64),
    )  # fmt: skip
    logits = np.random.default_rng(6).normal(size=(2, 2, 3))
    (loss, gradient), (expected, expected_gradient) = (loss_of(name, given, logits) for given in (together, apart))
    assert loss == pytest.approx(expected, rel=1e-14)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-12, atol=1e-16)
