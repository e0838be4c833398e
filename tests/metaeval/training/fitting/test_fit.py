"""A fit learns, predicts, and depends on its lesson alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metaeval.training.judgements import UNKNOWN
from metaeval.training.lessons import EncoderChoice, FitSettings, Fitted, trainers
from metaeval.training.registry import methods
from tests.metaeval.training.needing import Imported, needs_training
from tests.metaeval.training.taught import PEOPLE, lesson, texts_of

torch = Imported("torch")

pytestmark = needs_training


def fit(method: str = "SL", **changes) -> Fitted:
    return trainers.get("torch").fit(lesson(method, **changes))


def test_a_small_encoder_learns_what_people_say_of_texts_that_it_has_read() -> None:
    settings = FitSettings(batch_size=8, epochs=60, learning_rate=3e-3)
    taught = lesson(size=50, settings=settings, encoder=EncoderChoice(max_tokens=32))
    fitted = trainers.get("torch").fit(replace(taught, unseen=taught.texts))
    Q = methods.get("SL").predict(fitted.logits, "multiclass")
    P = taught.judgements.shares
    assert (Q.argmax(axis=1) == P.argmax(axis=1)).all()
    assert np.abs(Q - P).mean() < 0.05
    assert fitted.epochs[-1].loss < fitted.epochs[0].loss
    assert np.abs(P - P.mean(axis=0)).mean() > 0.25


def test_logits_are_double_precision_for_every_text_head_and_label() -> None:
    fitted = fit("AE")
    assert fitted.heads == tuple(f"p{number}" for number in range(PEOPLE))
    assert fitted.logits.shape == (7, PEOPLE, 2)
    assert fitted.dev_logits.shape == (6, PEOPLE, 2)
    assert fitted.logits.dtype == np.float64
    assert np.isfinite(fitted.logits).all()
    assert len(fitted.epochs) == 4
    assert all(epoch.dev_loss is not None for epoch in fitted.epochs)


def test_a_development_set_that_names_no_annotators_leaves_an_ensemble_without_a_curve_of_it() -> None:
    taught = lesson("AE", settings=FitSettings(batch_size=8, epochs=1))
    known = taught.dev_judgements
    assert known is not None
    unnamed = replace(known, person=np.full_like(known.person, UNKNOWN))
    fitted = trainers.get("torch").fit(replace(taught, dev_judgements=unnamed))
    assert fitted.epochs[0].dev_loss is None
    assert fitted.dev_logits.shape == (6, PEOPLE, 2)


@pytest.mark.parametrize("method", methods.names())
def test_every_method_is_fitted(method: str) -> None:
    fitted = fit(method, settings=FitSettings(batch_size=8, epochs=1))
    Q = methods.get(method).predict(fitted.logits, "multiclass")
    np.testing.assert_allclose(Q.sum(axis=1), 1)


def test_the_same_lesson_gives_the_same_digits_whatever_was_trained_before() -> None:
    first = fit()
    fit("MV", seed=5, encoder=EncoderChoice("tfidf"))
    torch.rand(3)
    again = fit()
    np.testing.assert_array_equal(first.logits, again.logits)
    np.testing.assert_array_equal(first.dev_logits, again.dev_logits)
    assert [epoch.loss for epoch in first.epochs] == [epoch.loss for epoch in again.epochs]
    assert not np.array_equal(first.logits, fit(seed=1).logits)


def test_torch_is_left_as_it_was_found() -> None:
    torch.manual_seed(3)
    threads = torch.get_num_threads()
    expected = torch.rand(1)
    torch.manual_seed(3)
    fit()
    assert torch.rand(1) == expected
    assert torch.get_num_threads() == threads


def test_methods_that_a_frozen_encoder_cannot_tell_apart_differ() -> None:
    settings = FitSettings(batch_size=8, epochs=12)
    predictions = [
        methods.get(name).predict(fit(name, settings=settings).logits, "multiclass") for name in ("SL", "ReL", "MV")
    ]
    assert np.abs(predictions[0] - predictions[1]).max() > 1e-3
    assert np.abs(predictions[0] - predictions[2]).max() > 1e-2


def test_what_is_predicted_depends_neither_on_the_other_texts_nor_on_the_development_set() -> None:
    taught = lesson()
    whole = trainers.get("torch").fit(taught)
    part = trainers.get("torch").fit(replace(taught, unseen=taught.unseen[2:4], dev_texts=(), dev_judgements=None))
    np.testing.assert_allclose(part.logits, whole.logits[2:4], atol=1e-5)
    assert part.dev_logits.shape == (0, 1, 2)
    assert part.epochs[0].dev_loss is None
    assert part.epochs[0].loss == whole.epochs[0].loss


def test_progress_counts_the_steps_and_what_it_raises_stops_within_one() -> None:
    seen = []

    def stop(done: int, total: int, message: str = "") -> None:
        seen.append((done, total, message))
        if done == 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        trainers.get("torch").fit(lesson(), progress=stop)
    assert [done for done, _, _ in seen] == [0, 1, 2, 3, 4, 5]
    assert {total for _, total, _ in seen} == {12}
    assert seen[-1][2] == "Epoch 2 of 4"


def test_bf16_comes_close_and_leaves_the_next_fit_in_single_precision() -> None:
    single = fit()
    half = fit(encoder=EncoderChoice(precision="bf16"))
    assert not np.array_equal(half.logits, single.logits)
    np.testing.assert_allclose(half.logits, single.logits, atol=0.2)
    np.testing.assert_array_equal(fit().logits, single.logits)


def test_texts_of_several_segments_are_read_as_pairs() -> None:
    fitted = fit(texts=texts_of(24, segments=2), unseen=texts_of(3, segments=3), dev_texts=texts_of(6, segments=1))
    assert np.isfinite(fitted.logits).all()
