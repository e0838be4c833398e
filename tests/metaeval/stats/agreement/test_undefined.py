"""What cannot be computed is undefined and says why; what makes no sense is refused."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.stats.agreement import (
    Annotations,
    SetAnnotations,
    cohen_kappas,
    fleiss_kappa,
    krippendorff_alpha,
    label_variation,
    mean_binary_alpha,
    pairwise_agreement,
    percentage_agreement,
    randolph_kappa,
)
from metaeval.stats.agreement.annotations import coded
from metaeval.stats.agreement.binary import NO_CHOICE_DIFFERS
from metaeval.stats.agreement.chance import NO_ANNOTATIONS, ONE_LABEL
from metaeval.stats.agreement.measure import ALL_EQUAL, NO_ITEMS, NO_PAIRS
from tests.metaeval.stats.agreement import loading

CONSTANT = Annotations.from_counts([[2, 0], [3, 0]])
ONE_EACH = Annotations.from_counts([[1, 0], [0, 1]])
EMPTY = Annotations.from_columns([], [], [], labels=["a", "b"])
CORRECTED = [
    *(lambda a, d=d, **k: krippendorff_alpha(a, d, **k) for d in ("nominal", "ordinal", "interval", "ratio")),
    fleiss_kappa,
    partial(randolph_kappa, labels="observed"),
]


@pytest.mark.parametrize("measure", CORRECTED)
def test_constant_input_has_no_agreement_beyond_chance_unless_a_convention_is_asked_for(measure):
    assert np.isnan(measure(CONSTANT).value)
    assert measure(CONSTANT).reason in {
        ALL_EQUAL,
        ONE_LABEL,
    }
    assert measure(CONSTANT, constant=1.0).value == 1.0
    assert measure(CONSTANT, constant=1.0).reason == ""


def test_a_constant_that_rounding_would_hide_is_still_constant():
    tenths = Annotations.from_matrix(np.full((3, 7), 0.1))
    for distance in ("nominal", "ordinal", "interval", "ratio"):
        assert krippendorff_alpha(tenths, distance).reason


@pytest.mark.parametrize("measure", [*CORRECTED, pairwise_agreement])
def test_one_annotator_an_item_says_nothing_about_agreement(measure):
    found = measure(ONE_EACH)
    assert np.isnan(found.value)
    assert found.reason == NO_PAIRS
    assert (found.n_items, found.excluded) == (0, 2)


@pytest.mark.parametrize("measure", [*CORRECTED, pairwise_agreement, percentage_agreement])
def test_no_annotations_at_all(measure):
    found = measure(Annotations.from_columns([], [], [], labels=[1, 2]))
    assert np.isnan(found.value)
    assert found.reason


def test_one_class_in_the_label_set_leaves_nothing_to_choose():
    assert randolph_kappa(Annotations.from_counts([[2], [3]]), labels="all").reason == ONE_LABEL


def test_percentage_agreement_leaves_out_items_with_fewer_annotations_than_its_minimum():
    """One vote alone neither agrees nor disagrees. With a lower minimum such an item counts 0."""
    one_each = percentage_agreement(ONE_EACH)
    assert (" 2 " in one_each.reason, one_each.excluded) == (True, 2)
    assert percentage_agreement(ONE_EACH, minimum=1).value == 0.0
    unlabelled = Annotations.from_columns(["q1", "q1", "q3"], None, ["a", "a", "a"], items=["q1", "q2", "q3"])
    found = percentage_agreement(unlabelled)
    assert (found.value, found.n_items, found.excluded) == (1.0, 1, 2)
    assert percentage_agreement(unlabelled, minimum=0).value == pytest.approx(1 / 3)
    assert percentage_agreement(unlabelled, minimum=1).value == 1 / 2
    with pytest.raises(ValueError, match="minimum is -1"):
        percentage_agreement(unlabelled, minimum=-1)


@pytest.mark.shared_data
def test_on_mt_bench_853_items_with_one_vote_are_left_out_of_percentage_agreement(shared_data):
    """They used to count as 0, which made the value .391."""
    votes = loading.mt_bench(shared_data, "human")
    found = percentage_agreement(votes)
    assert (found.n_items + found.excluded, found.excluded) == (1814, 853)
    as_zero = percentage_agreement(votes, minimum=1).value
    assert round(as_zero, 3) == 0.391
    assert found.value == pytest.approx(as_zero * 1814 / (1814 - 853), abs=1e-12)


def test_randolphs_kappa_of_declared_labels_is_1_where_all_say_the_same():
    """As in other packages; of the labels that occur, one, there is nothing to choose (Elangovan et al.)."""
    same = Annotations.from_counts([[3, 0], [2, 0]])
    assert randolph_kappa(same).value == 1.0
    assert randolph_kappa(same, labels="observed").reason


def test_what_has_no_items_does_not_say_that_they_lack_annotations():
    for measure in (krippendorff_alpha, pairwise_agreement, fleiss_kappa, randolph_kappa, percentage_agreement):
        assert measure(EMPTY).reason == NO_ITEMS


def test_sets_have_the_same_edges():
    same = SetAnnotations.from_columns([1, 1, 2, 2], None, [{"a"}] * 4, labels=["a", "b"])
    assert krippendorff_alpha(same, "masi").reason == ALL_EQUAL
    assert mean_binary_alpha(same).reason == NO_CHOICE_DIFFERS
    assert mean_binary_alpha(same, constant=1.0).alphas == (1.0, 1.0)
    alone = SetAnnotations.from_columns([1, 2], None, [{"a"}, {"b"}])
    assert krippendorff_alpha(alone, "masi").reason == NO_PAIRS
    assert mean_binary_alpha(alone).reason == NO_PAIRS


def test_nobody_choosing_a_label_is_an_answer_and_two_such_answers_agree():
    empty = SetAnnotations.from_columns([1, 1, 2, 2], None, [set(), set(), {"a"}, {"a"}])
    assert krippendorff_alpha(empty, "masi").value == 1.0
    apart = SetAnnotations.from_columns([1, 1, 2, 2], None, [set(), {"a"}, {"a"}, set()])
    assert krippendorff_alpha(apart, "masi").observed == 1.0


def test_cohens_kappa_needs_known_people_common_items_and_two_labels():
    with pytest.raises(ValueError, match="two known people"):
        cohen_kappas(CONSTANT)
    assert cohen_kappas(Annotations.from_columns([1, 2], ["A", "B"], ["x", "y"])).reason
    same = cohen_kappas(Annotations.from_columns([1, 1], ["A", "B"], ["x", "x"]))
    assert same.undefined == 1
    assert same.pairs[0].kappa.reason
    assert same.pairs[0].observed_agreement == 1.0


def test_who_contradicts_themselves_is_left_out_of_cohens_kappa_and_counted():
    votes = Annotations.from_columns([1, 1, 1, 2, 2, 2, 3, 3], list("AABAABAB"), list("xyxxxxyy"))
    (pair,) = cohen_kappas(votes).pairs
    assert (pair.kappa.n_items, pair.kappa.excluded, pair.kappa.value) == (2, 1, 1.0)


def test_variation_without_annotations():
    assert label_variation(EMPTY).reason == NO_ANNOTATIONS
    assert label_variation(EMPTY).to_dict()["mean_entropy"] is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Annotations.from_columns([1], [1, 2], ["a"]), "columns differ in length: item has 1, annotator has 2"),
        (
            lambda: Annotations.from_columns([1], [1], ["c"], labels=["a", "b"]),
            "'c' is none of the 2 labels given",
        ),
        (lambda: Annotations.from_columns([1], [1], ["a"], labels=["a", "a"]), "a name of the labels comes twice"),
        (lambda: Annotations.from_matrix([1, 2]), r"shape \(annotators, items\)"),
        (lambda: Annotations.from_matrix([[1, 2]], items=["only one"]), "1 names for 2 items"),
        (lambda: Annotations.from_counts([[1.5]]), "whole numbers"),
        (lambda: Annotations.from_counts([[2, -1]]), "whole numbers"),
        (lambda: Annotations.from_counts([[1, 2]], ["a"]), "1 labels for counts of 2"),
        (lambda: SetAnnotations.from_indicators([1], None, [[2, 0]]), "true and false"),
        (lambda: SetAnnotations.from_offsets([1], None, [0, 1], [0, 1], labels="ab"), "offsets rise from 0"),
        (lambda: SetAnnotations.from_offsets([1], None, [0, 1], [1, 2], labels="ab"), "offsets rise from 0"),
        (lambda: SetAnnotations.from_offsets([1], None, [2], [0, 1], labels="ab"), r"codes lie in \[0, 2\)"),
        (lambda: SetAnnotations.from_columns([1], None, [{"a"}]).binary("b"), "'b' is none of the 1 labels"),
        (lambda: krippendorff_alpha([[1, 2], [1]]), "cannot be read"),
        (lambda: krippendorff_alpha(CONSTANT, "masi"), "which single labels have"),
        (lambda: krippendorff_alpha(Annotations.from_columns([1], None, ["a"]), "interval"), "labels that are numbers"),
        (lambda: krippendorff_alpha(Annotations.from_matrix([[-1], [2]]), "ratio"), "a ratio scale starts at 0"),
        (lambda: pairwise_agreement(CONSTANT, pooling="both"), "pooling is 'both'; expected one of items, pairs"),
        (lambda: randolph_kappa(CONSTANT, labels="some"), "labels is 'some'; expected one of observed, all"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_was_expected(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_labels_of_different_types_stay_different():
    mixed = Annotations.from_columns([1, 1, 2, 2], None, [1, "1", None, float("nan")])
    assert set(mixed.labels) == {1, "1"}
    assert mixed.missing == 2


def test_only_keeps_the_chosen_items_in_their_order():
    votes = Annotations.from_columns(["a", "b", "c", "c", "b"], ["P", "P", "P", "Q", "Q"], [1, 2, 3, 2, None])
    chosen = votes.only([2, 0])
    assert (votes.missing, chosen.missing) == (1, 0)  # the item of the missing label is no longer known
    assert chosen.items.tolist() == ["c", "a"]
    assert chosen.item.tolist() == [1, 0, 0]
    assert chosen.label.tolist() == [0, 2, 1]


@given(st.lists(st.integers(-20, 20) | st.integers(-(2**40), 2**40)), st.sampled_from([np.int64, np.int8, object]))
def test_codes_are_places_among_the_sorted_names(values, dtype):
    array = np.array([value % 256 - 128 for value in values] if dtype is np.int8 else values, dtype=dtype)
    for form in (array, array.tolist()):
        names, codes = coded(form, None, "item")
        assert names.tolist() == sorted(set(array.tolist()))
        assert names[codes].tolist() == array.tolist()


def test_sets_may_be_any_iterables():
    lists = SetAnnotations.from_columns([1, 1], None, [["a", "b", "a"], []])
    once = SetAnnotations.from_columns([1, 1], None, [iter("ab"), iter("")])
    assert lists.members.tolist() == once.members.tolist() == [[False, False], [True, True]]
    assert lists.chosen.tolist() == once.chosen.tolist() == [1, 0]
