"""Examples that were worked out by hand."""

import numpy as np
import pytest

from metaeval.training.methods.ranking import annotator_scores, example_weights
from metaeval.training.registry import methods
from tests.metaeval.training.methods.given import judgements


def test_scores_and_weights_of_annotators() -> None:
    """x1 is labelled A, A, B, A by annotators 1 to 4; x2 is labelled A, B, B by annotators 1 to 3."""
    given = judgements("1A 2A 3B 4A", "1A 2B 3B")
    soft, hard = annotator_scores(given), annotator_scores(given, hard=True)
    assert soft[:, 0].tolist() == pytest.approx([3 / 4, 17 / 24, 2 / 3, 3 / 4])
    assert hard[:, 0].tolist() == [1 / 2, 1, 1 / 2, 1]
    assert example_weights(given, soft).tolist() == pytest.approx([23 / 8, 17 / 8])
    assert example_weights(given, hard).tolist() == [3, 2]


def test_the_same_example_as_labels_that_are_given_or_not() -> None:
    """Each label by itself: for both, p is the majority's share, whichever of the two it gave."""
    given = judgements("1A 2A 3B 4A", "1A 2B 3B", task="multilabel")
    soft = annotator_scores(given)
    assert soft.T.tolist() == [pytest.approx([3 / 4, 17 / 24, 2 / 3, 3 / 4])] * 2
    assert example_weights(given, soft).tolist() == pytest.approx([23 / 8, 17 / 8])


def test_predictions_of_an_ensemble() -> None:
    """Three heads give a label .6, .3 and .9."""
    q = np.array([0.6, 0.3, 0.9])
    of_two = np.log(np.stack((q, 1 - q), axis=-1))[None]
    alone = np.log(q / (1 - q))[None, :, None]
    soft, hard = methods.get("AE"), methods.get("AEh")
    assert soft.predict(of_two, "multiclass").tolist() == [pytest.approx([0.6, 0.4])]
    assert hard.predict(of_two, "multiclass").tolist() == [pytest.approx([2 / 3, 1 / 3])]
    assert soft.predict(alone, "multilabel").tolist() == [pytest.approx([0.6])]
    assert hard.predict(alone, "multilabel").tolist() == [pytest.approx([2 / 3])]


def test_pairs_of_ambiguous_labelling() -> None:
    """x1 is labelled y1, y1, y2 and x2 is labelled y2, y2, y2."""
    targets = methods.get("AL").targets(judgements("1A 2A 3B", "1B 2B 3B"))
    assert list(zip(targets.instance, targets.value.tolist(), strict=True)) == [
        (0, [1, 0]),
        (0, [0, 1]),
        (1, [0, 1]),
    ]
