"""Scores, weights, pairs and predictions are those of the published code and of plain Python."""

import numpy as np
import pytest

from metaeval.training.methods.ranking import annotator_scores, example_weights
from metaeval.training.registry import methods
from tests.metaeval.training.golden import CASES, golden, judgements_of

pytestmark = pytest.mark.shared_data


@pytest.mark.parametrize("which", CASES)
@pytest.mark.parametrize("name", ["AR", "ARh"])
def test_scores_and_weights_are_the_golden_ones(which: str, name: str) -> None:
    case = golden()[which]
    given = judgements_of(case)
    scores = annotator_scores(given, hard=name == "ARh")
    expected = [np.atleast_1d(case["annotator_scores"][name][person]) for person in given.people]
    np.testing.assert_allclose(scores, expected, rtol=1e-14, atol=0)
    np.testing.assert_allclose(example_weights(given, scores), case["weights"][name], rtol=1e-14, atol=0)
    assert methods.get(name).targets(given).weight.tolist() == example_weights(given, scores).tolist()


@pytest.mark.parametrize("which", CASES)
@pytest.mark.parametrize("name", ["AE", "AEh"])
def test_predictions_of_ensembles_are_the_golden_ones(which: str, name: str) -> None:
    case = golden()[which]
    found = methods.get(name).predict(np.swapaxes(case["logits_heads"], 0, 1), judgements_of(case).task)
    np.testing.assert_allclose(found, case["predictions"][name], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("which", ["multiclass", "multiclass_ties"])
def test_pairs_of_ambiguous_labelling_are_the_golden_ones(which: str) -> None:
    case = golden()[which]
    targets = methods.get("AL").targets(judgements_of(case))
    pairs = np.stack((targets.instance, targets.value.argmax(axis=1)), axis=1)
    assert pairs.tolist() == case["AL_pairs"]
