"""Batches at the edge: none, too small, of the wrong shape, without a label."""

import math

import pytest

from tests.metaeval.training.needing import Imported, needs_training

torch = Imported("torch")
losses = Imported("metaeval.training.losses")

pytestmark = needs_training

OF_ROWS = ["CrossEntropy", "JensenShannon", "SoftMicroF1", "SoftMacroF1"]


@pytest.mark.parametrize("loss", OF_ROWS)
def test_an_empty_batch_is_refused(loss: str) -> None:
    with pytest.raises(losses.WrongBatch, match="The batch is empty"):
        getattr(losses, loss)("multiclass")(torch.zeros(0, 3), torch.zeros(0, 3))


def test_an_empty_batch_of_annotations_or_pairs_is_refused() -> None:
    none = torch.zeros(0, dtype=torch.int64)
    with pytest.raises(losses.WrongBatch, match="The batch is empty"):
        losses.LossAggregation("multiclass")(torch.zeros(0, 3), torch.zeros(0, 3), none)
    with pytest.raises(losses.WrongBatch, match="The batch is empty"):
        losses.EnsembleCrossEntropy("multiclass")(torch.zeros(0, 2, 3), torch.zeros(0, 3), none, none)


@pytest.mark.parametrize("loss", OF_ROWS)
@pytest.mark.parametrize("shape", [(2, 1), (1, 3), (3,), (2, 4)])
def test_targets_of_another_shape_are_refused_rather_than_stretched(loss: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(losses.WrongBatch, match=r"logits .*\(2, 3\) .*targets"):
        getattr(losses, loss)("multilabel")(torch.zeros(2, 3), torch.zeros(shape))


def test_weights_of_another_shape_are_refused() -> None:
    with pytest.raises(losses.WrongBatch, match="2 examples"):
        losses.CrossEntropy("multilabel")(torch.zeros(2, 3), torch.zeros(2, 3), torch.ones(2, 1))


@pytest.mark.parametrize("example", [[0, 0], [1, 1], [0, 2], [0, 1, 2]])
def test_an_example_without_an_annotation_is_refused(example: list[int]) -> None:
    with pytest.raises(losses.WrongBatch, match=r"2 examples .*annotation"):
        losses.LossAggregation("multiclass")(torch.zeros(2, 3), torch.eye(3)[: len(example)], torch.tensor(example))


@pytest.mark.parametrize("loss", [*OF_ROWS, "LossAggregation", "EnsembleCrossEntropy"])
def test_an_unknown_task_is_refused(loss: str) -> None:
    with pytest.raises(ValueError, match=r"\btask is 'ordinal'; .*multiclass, multilabel"):
        getattr(losses, loss)("ordinal")


def test_an_unknown_aggregate_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\bhow is 'median'; .*min, .*mean"):
        losses.LossAggregation("multiclass", "median")


def test_a_loss_says_what_it_was_made_for() -> None:
    assert repr(losses.LossAggregation("multilabel", "max")) == "LossAggregation(task='multilabel', how='max')"


@pytest.mark.parametrize("loss", ["SoftMicroF1", "SoftMacroF1"])
def test_a_label_without_any_mass_counts_as_a_perfect_one(loss: str) -> None:
    """As it does by default in the metric. A sigmoid of -1e4 is 0."""
    logits = torch.full((2, 3), -1e4, requires_grad=True)
    value = getattr(losses, loss)("multilabel")(logits, torch.zeros(2, 3))
    value.backward()
    assert value.item() == 0
    assert logits.grad is not None
    assert not logits.grad.any()


def test_of_three_labels_one_without_mass_leaves_the_others_to_be_learnt() -> None:
    logits = torch.tensor([[0.0, 1.0, -1e4]], requires_grad=True)
    value = losses.SoftMacroF1("multilabel")(logits, torch.tensor([[1.0, 1.0, 0.0]]))
    value.backward()
    half, more = 2 * 0.5 / 1.5, 2 * torch.sigmoid(torch.tensor(1.0)) / (1 + torch.sigmoid(torch.tensor(1.0)))
    assert value.item() == pytest.approx(1 - (half + more.item() + 1) / 3)
    assert logits.grad is not None
    assert (logits.grad != 0).tolist() == [[True, True, False]]


def test_a_label_that_nobody_gave_in_the_batch_has_no_f1_and_no_gradient() -> None:
    logits = torch.zeros(2, 2, requires_grad=True)
    value = losses.SoftMacroF1("multilabel")(logits, torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
    value.backward()
    assert value.item() == pytest.approx(1 - (2 * 0.5 / 1.5) / 2)
    assert logits.grad is not None
    assert (logits.grad != 0).any(dim=0).tolist() == [True, False]


def test_opposite_certainties_diverge_by_one_bit_and_equal_shares_by_none() -> None:
    certain = torch.tensor([[1e4, -1e4]])
    assert losses.JensenShannon("multiclass")(certain, torch.tensor([[0.0, 1.0]])).item() == 1
    assert losses.JensenShannon("multilabel")(certain, torch.tensor([[0.0, 1.0]])).item() == 1
    third = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64) / 6
    assert losses.JensenShannon("multiclass")(third.log(), third).item() == pytest.approx(0, abs=1e-15)


def test_a_certain_mistake_costs_what_its_logits_say() -> None:
    """log q of a q that is 0 in floating point."""
    logits = torch.tensor([[1e4, 0.0]])
    assert losses.CrossEntropy("multiclass")(logits, torch.tensor([[0.0, 1.0]])).item() == 1e4
    assert losses.CrossEntropy("multilabel")(logits, torch.tensor([[0.0, 0.0]])).item() == pytest.approx(
        1e4 + math.log(2)
    )
