"""What each way to split promises, and what it says when it cannot."""

import numpy as np
import pytest

from metaeval.training.splits import (
    CannotSplit,
    Split,
    SplitPart,
    check_development,
    given,
    k_folds,
    labels_not_learnt,
    shares,
)
from tests.metaeval.training.corpora import corpus

TWENTY = corpus([[(number % 2,)] for number in range(20)])


def test_only_folds_learn_from_train_and_development_in_the_end():
    folds, parts = k_folds(TWENTY, 4), shares(TWENTY)
    assert (folds.final_learns_from_dev, parts.final_learns_from_dev) == (True, False)
    assert [len(folds.final(fold)) for fold in range(4)] == [15] * 4
    assert [(len(fold.train), len(fold.dev), len(fold.test)) for fold in parts] == [(16, 2, 2)]


def test_a_seed_draws_one_split_and_another_seed_another():
    assert k_folds(TWENTY, 4, seed=1).fingerprint == k_folds(TWENTY, 4, seed=1).fingerprint
    assert len({k_folds(TWENTY, 4, seed=seed).fingerprint for seed in range(5)}) == 5
    assert shares(TWENTY, seed=1).fingerprint != shares(TWENTY, seed=2).fingerprint


def test_the_draw_is_what_it_was():
    """A split that was published by its seed must not change with a new version."""
    assert shares(TWENTY, seed=0).parts[0].tolist() == [1, 1, 1, 1, 3, 2, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1]
    assert k_folds(TWENTY, 4).fingerprint == "7eb811573c5587f1038fa82c40ba8dfa60c453cc606fd2f0f602ad4d68fb01ad"


def test_the_fingerprint_says_whose_parts_they_are():
    split = shares(TWENTY)
    renamed = Split("shares", tuple(f"other-{n}" for n in range(20)), split.parts)
    moved = Split("shares", split.ids, np.roll(split.parts, 1, axis=1))
    assert len({split.fingerprint, renamed.fingerprint, moved.fingerprint}) == 3


def test_a_given_split_is_taken_as_it_is_and_twins_of_the_test_part_are_counted():
    of = corpus(
        [[(0,)]] * 8,
        texts=["a", "b", "b", "c", "a", "d", "d", "e"],
        given=["train", "train", "dev", "test", "test", "trial", "validation", "Train"],
    )
    split = given(of)
    assert [SplitPart(part).word for part in split.parts[0].tolist()] == [
        *("unused", "unused", "dev", "test", "test", "unused", "dev", "train")
    ]
    assert (split.twins, split.final_learns_from_dev, len(split)) == (2, False, 1)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: given(TWENTY), "do not say which texts are for training"),
        (lambda: given(corpus([[(0,)]] * 2, given=["train", "dev"])), "no test part. Import the files"),
        (lambda: given(corpus([[(0,)]] * 2, given=["dev", "test"])), "nothing to learn from: the split has no train"),
        (lambda: k_folds(TWENTY, 21), "20 different texts, fewer than the 21 folds. Ask for at most 20"),
        (lambda: k_folds(corpus([[(0,)]] * 20, texts=["same"] * 20)), "1 different texts, fewer than the 10"),
        (lambda: k_folds(TWENTY, 1), "ask for at least 2"),
        (lambda: k_folds(TWENTY, 4, development=1.0), "at least 0 and less than 1"),
        (lambda: shares(TWENTY, (8, 2, 0)), "8:2:0 leave nothing"),
        (lambda: shares(corpus([[(0,)]] * 2)), "no text to predict: the split has no test part. Ask for other shares"),
        (lambda: shares(corpus([[]] * 4)), "withdrawn, empty, or judged by nobody"),
    ],
)
def test_what_cannot_be_split_is_refused_in_a_sentence(make, sentence):
    with pytest.raises(CannotSplit, match=sentence):
        make()


def test_a_fold_without_a_label_is_refused_and_stratifying_spreads_it():
    rare = corpus([[(1,)] if number < 2 else [(0,)] for number in range(10)])

    def refusal(seed):
        try:
            k_folds(rare, 2, development=0, seed=seed)
        except CannotSplit as error:
            return str(error)
        return ""

    refused, *others = sorted({refusal(seed).partition(" is without")[2] for seed in range(20)}, reverse=True)
    assert others == [""], "some draws spread the label, and some do not"
    assert refused == (
        " a label: no text to learn from has 'yes', which other texts have. Stratify the split, or use another seed."
    )
    for seed in range(20):
        split = k_folds(rare, 2, development=0, seed=seed, stratify=True)
        assert labels_not_learnt(split, rare) == {}


def test_a_label_of_one_text_alone_is_no_reason_to_refuse():
    single = corpus([[(1,)] if number < 1 else [(0,)] for number in range(10)])
    split = k_folds(single, 2)
    assert list(labels_not_learnt(split, single).values()) == [("yes",)]


def test_a_search_needs_a_development_part_in_every_fold():
    check_development(k_folds(TWENTY, 4))
    with pytest.raises(CannotSplit, match="has none in at least one fold"):
        check_development(k_folds(TWENTY, 4, development=0))
