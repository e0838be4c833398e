"""Nothing that a model learns from is what it is tested on, whatever the texts, the seed and the order of rows."""

from collections import defaultdict

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metaeval.training.splits import CannotSplit, Split, SplitPart, k_folds, shares
from metaeval.training.splits import given as given_split
from tests.metaeval.training.corpora import corpus

PARTS = ("train", "dev", "test", "trial", "")
quick = settings(max_examples=60, deadline=None)


@st.composite
def corpora(draw):
    """Up to 40 instances, some with the same text, some withdrawn or without judgements, with a split of their own."""
    size = draw(st.integers(6, 40))
    words = draw(st.lists(st.integers(0, size), min_size=size, max_size=size))
    said = draw(
        st.lists(st.lists(st.sampled_from([(0,), (1,), (2,), (0, 2), ()]), max_size=4), min_size=size, max_size=size)
    )
    return corpus(
        said,
        labels=("a", "b", "c"),
        task="multilabel",
        texts=[f"word  {word}" if place % 2 else f"word {word}" for place, word in enumerate(words)],
        withdrawn=draw(st.sets(st.integers(0, size - 1), max_size=3)),
        given=draw(st.lists(st.sampled_from(PARTS), min_size=size, max_size=size)),
    )


def made(make):
    """The split, unless these instances cannot be split so."""
    try:
        return make()
    except CannotSplit:
        assume(False)
        raise


def no_text_is_on_two_sides(split: Split, of) -> None:
    sides = [defaultdict(set) for _ in range(len(split))]
    for fold, parts in enumerate(split.parts):
        for text, part, usable in zip(of.texts, parts.tolist(), of.usable.tolist(), strict=True):
            assert usable or part == SplitPart.UNUSED
            if part != SplitPart.UNUSED:
                sides[fold][" ".join(text[0].split())].add(part)
    assert all(len(parts) == 1 for fold in sides for parts in fold.values())
    for number, one in enumerate(split):
        learnt = set(one.train.tolist()) | set(one.dev.tolist())
        assert not set(one.train.tolist()) & set(one.dev.tolist())
        assert not learnt & set(one.test.tolist())
        assert set(split.final(number).tolist()) == (learnt if split.kind == "folds" else set(one.train.tolist()))


@quick
@given(corpora(), st.integers(2, 5), st.sampled_from([0.0, 0.1, 0.5]), st.integers(0, 9), st.booleans())
def test_every_usable_instance_is_tested_once_and_no_text_is_on_two_sides(of, folds, development, seed, stratify):
    split = made(lambda: k_folds(of, folds, development=development, seed=seed, stratify=stratify))
    assert ((split.parts == SplitPart.TEST).sum(axis=0) == of.usable).all()
    assert (split.parts[:, of.usable] != SplitPart.UNUSED).all()
    no_text_is_on_two_sides(split, of)


@quick
@given(corpora(), st.integers(0, 9), st.booleans())
def test_shares_use_every_usable_instance_once_and_no_text_is_on_two_sides(of, seed, stratify):
    split = made(lambda: shares(of, (3, 1, 1), seed=seed, stratify=stratify))
    assert ((split.parts[0] != SplitPart.UNUSED) == of.usable).all()
    no_text_is_on_two_sides(split, of)


@quick
@given(corpora())
def test_a_given_split_is_kept_apart_from_twins_and_what_cannot_be_used(of):
    split = made(lambda: given_split(of))
    no_text_is_on_two_sides(split, of)
    told = np.array([{"train": 1, "dev": 2, "test": 3}.get(name, 0) for name in of.given])
    kept = split.parts[0] == told
    assert (split.parts[0][~kept] == SplitPart.UNUSED).all()
    assert kept[(told == SplitPart.TEST) & of.usable].all(), "the published test part is whole"
    assert split.twins == (~kept & of.usable).sum()


@quick
@given(corpora(), st.randoms(use_true_random=False), st.integers(0, 9), st.booleans())
def test_the_order_of_rows_changes_nothing(of, random, seed, stratify):
    order = list(range(len(of)))
    random.shuffle(order)
    said = [[] for _ in order]
    for place, row in zip(of.judgements.instance.tolist(), of.judgements.chosen, strict=True):
        said[place].append(tuple(np.flatnonzero(row).tolist()))
    moved = corpus(
        [said[place] for place in order],
        ids=[of.ids[place] for place in order],
        labels=of.judgements.labels,
        task="multilabel",
        texts=[of.texts[place] for place in order],
        withdrawn=np.flatnonzero(of.withdrawn[order]).tolist(),
    )
    for make in (
        lambda one: k_folds(one, 3, seed=seed, stratify=stratify),
        lambda one: shares(one, seed=seed, stratify=stratify),
    ):
        split, again = made(lambda make=make: make(of)), made(lambda make=make: make(moved))
        assert (split.parts[:, order] == again.parts).all()


@quick
@given(
    st.lists(st.integers(0, 59), min_size=60, max_size=60),
    st.tuples(st.integers(1, 9), st.integers(0, 9), st.integers(1, 9)),
    st.integers(0, 9),
)
def test_proportions_are_off_by_less_than_the_most_frequent_text(words, weights, seed):
    of = corpus([[(0,)]] * 60, labels=("a",), texts=[f"word {word}" for word in words])
    largest = max(words.count(word) for word in words)
    found = np.bincount(made(lambda: shares(of, weights, seed=seed)).parts[0], minlength=4)[1:]
    assert np.abs(found - 60 * np.array(weights) / sum(weights)).max() < largest
    folds = made(lambda: k_folds(of, 4, seed=seed))
    sizes = (folds.parts == SplitPart.TEST).sum(axis=1)
    assert np.abs(sizes - 15).max() < largest
    for fold, size in zip(folds, sizes.tolist(), strict=True):
        assert abs(len(fold.dev) - 0.1 * (60 - size)) < largest


@quick
@given(st.lists(st.integers(0, 4), min_size=50, max_size=90), st.integers(0, 9))
def test_stratified_parts_have_the_labels_in_the_same_proportions(labels, seed):
    of = corpus([[(label,)] for label in labels], labels=tuple("abcde"))
    split = made(lambda: k_folds(of, 5, seed=seed, stratify=True))
    counts = np.array([[labels.count(label)] * 5 for label in range(5)])
    found = np.array([[(np.array(labels)[fold.test] == label).sum() for fold in split] for label in range(5)])
    assert np.abs(found - counts / 5).max() < 1
    assert np.ptp((split.parts == SplitPart.TEST).sum(axis=1)) <= 5
