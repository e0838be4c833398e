"""TF-IDF is scikit-learn's, and cannot tell the methods apart, as its description says."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from metaeval.training.encoders.registry import encoders
from metaeval.training.lessons import EncoderChoice, FitSettings, trainers
from metaeval.training.registry import methods
from tests.metaeval.training.needing import needs_training
from tests.metaeval.training.taught import lesson, texts_of

pytestmark = needs_training


def test_features_are_those_of_scikit_learn() -> None:
    texts = texts_of(30)
    reader = encoders.get("tfidf").make(EncoderChoice("tfidf"), texts)
    unseen = [*texts_of(5, seed=3), ("words unknown to us all",)]
    reading = reader.read(unseen)
    ours = reader(**reading.batch(np.arange(6))).numpy()
    theirs = TfidfVectorizer(token_pattern=r"\w+").fit([text for (text,) in texts])
    expected = theirs.transform([text for (text,) in unseen]).toarray()
    np.testing.assert_allclose(np.sort(ours, axis=1), np.sort(expected, axis=1), atol=1e-6)
    assert not ours[-1].any()


def test_it_learns_and_cannot_tell_repeated_from_soft_labels() -> None:
    predictions = []
    for method in ("ReL", "SL"):
        taught = lesson(
            method, encoder=EncoderChoice("tfidf"), settings=FitSettings(batch_size=96, epochs=250, learning_rate=0.1)
        )
        fitted = trainers.get("torch").fit(taught)
        assert fitted.trained == fitted.parameters == 2 * (12 + 1)
        predictions.append(methods.get(method).predict(fitted.logits, "multiclass"))
    np.testing.assert_allclose(predictions[0], predictions[1], atol=1e-3)
    assert np.abs(predictions[0] - 0.5).max() > 0.1


def test_its_description_says_what_it_is_for() -> None:
    assert "plumbing only" in encoders.get("tfidf").about


def test_texts_without_a_word_are_read_as_nothing() -> None:
    reader = encoders.get("tfidf").make(EncoderChoice("tfidf"), [("!",)])
    assert reader(**reader.read([("?",)]).batch(np.array([0]))).tolist() == [[0.0]]


@pytest.mark.parametrize("name", encoders.names())
def test_every_encoder_says_what_it_is(name: str) -> None:
    found = encoders.get(name)
    assert found.title
    assert found.about.endswith(".")
