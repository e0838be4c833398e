"""The parts of a fit: the schedule, targets as tensors, and the state of a fit."""

from __future__ import annotations

import json

import numpy as np
import pytest

from metaeval.training.lessons import trainers
from metaeval.training.registry import methods
from metaeval.training.targets import Targets
from tests.metaeval.training.losses.batches import batch_of
from tests.metaeval.training.needing import Imported, needs_training
from tests.metaeval.training.taught import Kept, judgements_of, lesson

torch = Imported("torch")
transformers = Imported("transformers")
safetensors = Imported("safetensors.torch")
rows = Imported("metaeval.training.fitting.preparing")

pytestmark = needs_training


@pytest.mark.parametrize(("steps", "warmup"), [(250, 0.1), (7, 0.1), (10, 0.0), (10, 1.0), (1, 0.5)])
def test_the_schedule_is_that_of_transformers(steps: int, warmup: float) -> None:
    from metaeval.training.fitting.fit import schedule

    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    theirs = transformers.get_linear_schedule_with_warmup(optimizer, int(steps * warmup), steps)
    rate = schedule(steps, warmup)
    for step in range(steps):
        assert rate(step) == pytest.approx(theirs.get_last_lr()[0], abs=1e-12)
        optimizer.step()
        theirs.step()


@pytest.mark.parametrize("method", ["SL", "SLMV", "AE", "LA-min", "AR"])
def test_a_batch_of_all_examples_is_all_targets(method: str) -> None:
    targets = methods.get(method).targets(judgements_of(5))
    ours = rows.TargetRows(targets).batch(np.repeat(np.arange(len(targets)), targets.times), torch.device("cpu"))
    expected = batch_of(targets, torch.float32)
    for name in ("value", "example", "head", "weight"):
        assert torch.equal(getattr(ours, name), getattr(expected, name))


def test_a_batch_holds_the_rows_of_its_examples_in_their_order() -> None:
    targets = methods.get("AE").targets(judgements_of(5))
    batch = rows.TargetRows(targets).batch(np.array([3, 0, 3]), torch.device("cpu"))
    assert batch.example.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert torch.equal(batch.value[:4], batch.value[8:])
    np.testing.assert_array_equal(batch.value[4:8].numpy(), targets.value[:4])


def test_of_a_development_set_only_what_known_heads_can_predict_is_kept() -> None:
    targets = Targets(
        instance=np.array([0, 1, 2]),
        example=np.array([0, 0, 1, 2, 2]),
        head=np.array([0, 1, 2, 1, 2]),
        value=np.eye(2)[[0, 1, 0, 1, 0]],
        weight=np.array([1.0, 2.0, 3.0]),
        times=np.array([1, 2, 3]),
        heads=("anna", "ben", "carl"),
    )
    known = rows.for_heads(targets, ("ben", "anna"))
    assert known is not None
    assert known.instance.tolist() == [0, 2]
    assert known.example.tolist() == [0, 0, 1]
    assert known.head.tolist() == [1, 0, 0]
    assert known.weight.tolist() == [1.0, 3.0]
    assert known.times.tolist() == [1, 3]
    np.testing.assert_array_equal(known.value, targets.value[[0, 1, 3]])
    assert rows.for_heads(targets, ("dora",)) is None
    assert rows.for_heads(targets, targets.heads) is targets


def test_texts_are_predicted_with_others_of_their_length_the_longest_first() -> None:
    from metaeval.training.fitting.fit import MOST_TEXTS, MOST_TOKENS, by_length

    lengths = np.random.default_rng(0).integers(1, 513, 1000)
    batches = list(by_length(lengths))
    assert sorted(np.concatenate(batches)) == list(range(1000))
    assert (np.diff(lengths[np.concatenate(batches)]) <= 0).all()
    assert all(len(part) <= MOST_TEXTS and len(part) * lengths[part].max() <= MOST_TOKENS for part in batches)
    assert [part.tolist() for part in by_length(np.array([10**6, 1]))] == [[0], [1]]


def test_a_state_is_tensors_and_json_and_holds_all_that_the_fit_remembers() -> None:
    kept = Kept()
    fitted = trainers.get("torch").fit(lesson(), checkpoints=kept)
    assert len(kept.states) == 4
    state = kept.states[-1]
    header = json.loads(state[8 : 8 + int.from_bytes(state[:8], "little")])
    assert [epoch["loss"] for epoch in json.loads(header["__metadata__"]["epochs"])] == [
        epoch.loss for epoch in fitted.epochs
    ]
    tensors = safetensors.load(state)
    weights = sum(tensor.numel() for name, tensor in tensors.items() if name.startswith("model."))
    moments = sum(tensor.numel() for name, tensor in tensors.items() if name.endswith(("exp_avg", "exp_avg_sq")))
    assert (weights, moments) == (fitted.trained, 2 * fitted.trained)
