"""Partitions, typical labels, the binned divergence and the table: their promises, and their edges."""

import random
import statistics

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from metaeval.stats.agreement import Annotations, Bootstrap, krippendorff_alpha
from metaeval.stats.uncertainty import (
    binned_jsd,
    first_given,
    jensen_shannon,
    partitions_by_agreement,
    partitions_by_labels,
    random_labeller,
    simulated_curve,
    stratified_table,
    subset_curve,
    typical_labels,
)
from metaeval.stats.uncertainty.items import one_of_each, side_by_side
from metaeval.stats.uncertainty.simulation import ALWAYS_UNDEFINED
from metaeval.stats.uncertainty.table import NO_BOTH_LABELS

relaxed = settings(deadline=None, max_examples=60)  # the first example may have to compile
LABELS = [1, 2, 3, 4]
ITEM = st.lists(st.sampled_from(LABELS), min_size=1, max_size=6)
HUMAN = st.lists(ITEM, min_size=1, max_size=12)


def annotations(rows, items=None) -> Annotations:
    names = list(range(len(rows))) if items is None else items
    columns = [(names[item], person, label) for item, row in enumerate(rows) for person, label in enumerate(row)]
    item, person, label = zip(*columns, strict=True)
    return Annotations.from_columns(item, person, label, labels=LABELS, items=names)


@relaxed
@given(HUMAN)
def test_medians_are_labels_and_equal_pythons(rows):
    low, high = (typical_labels(annotations(rows), "ordinal", median=m).codes for m in ("low", "high"))
    assert [LABELS[code] for code in low] == [statistics.median_low(row) for row in rows]
    assert [LABELS[code] for code in high] == [statistics.median_high(row) for row in rows]


@relaxed
@given(HUMAN)
def test_the_majority_is_a_mode_and_ties_go_to_the_first_label_of_the_set(rows):
    found = typical_labels(annotations(rows))
    assert [LABELS[code] for code in found.codes] == [min(statistics.multimode(row)) for row in rows]
    assert found.undecided.tolist() == [len(statistics.multimode(row)) > 1 for row in rows]


@relaxed
@given(HUMAN, st.sampled_from(["nominal", "ordinal"]), st.sampled_from([(0.6, 0.8, 1.0), (0.5,), (0.25, 1.0)]))
def test_every_item_is_in_exactly_one_partition(rows, scale, bounds):
    human = annotations(rows)
    for parts in (partitions_by_agreement(human, scale, bounds=bounds), partitions_by_labels(human)):
        assert parts[0].items == tuple(range(len(rows)))
        assert sorted(item for part in parts[1:] for item in part.items) == list(range(len(rows)))
        assert sum(part.share for part in parts[1:]) == pytest.approx(1.0)


def test_the_most_frequent_label_that_was_given_first_is_typical_wherever_it_stands_in_the_set():
    votes = Annotations.from_columns([0, 0, 0, 1, 1, 2, 2], None, list("abbcbac"), labels=list("abc"))
    assert first_given(votes).tolist() == [1, 2, 0]


def test_labels_side_by_side_miss_none_whatever_people_left_out():
    votes = Annotations.from_columns([0, 0, 1], None, ["a", None, "b"])
    assert votes.missing == 1
    both = side_by_side(votes, np.array([0, 1]), np.array([1, -1]))
    assert (both.missing, both.label.tolist()) == (0, [0, 1, 1])


def shares(**floats: bool):
    return st.lists(st.floats(0, 1, **floats), min_size=5, max_size=5).filter(lambda weights: sum(weights) > 0.01)


@given(shares(allow_subnormal=False), shares(allow_subnormal=False), st.integers(2, 5))
def test_the_distance_equals_scipys(p, q, size):
    """SciPy halves the smallest number there is, to 0, and divides by it."""
    p, q = np.array(p[:size]), np.array(q[:size])
    assume(p.sum() > 0.01 and q.sum() > 0.01)
    p, q = p / p.sum(), q / q.sum()
    assert jensen_shannon(p, q, base=2) == pytest.approx(jensenshannon(p, q, base=2), abs=1e-7)


@given(shares(), shares())
@example([0.0, 1.0, 0.0], [0.0, 1.0, 5e-324])
def test_the_divergence_is_at_most_that_of_distributions_that_share_nothing(p, q):
    p, q = np.array(p) / sum(p), np.array(q) / sum(q)
    assert 0 <= jensen_shannon(p, q, squared=True) <= np.log(2) + 1e-12


@relaxed
@given(HUMAN, st.data(), st.sampled_from(["nominal", "ordinal"]))
def test_the_order_of_people_and_items_changes_nothing(rows, data, scale):
    machine = data.draw(st.lists(ITEM, min_size=len(rows), max_size=len(rows)))
    order = data.draw(st.permutations(range(len(rows))))
    shuffled = [data.draw(st.permutations(rows[item])) for item in order]
    before = binned_jsd(annotations(rows), annotations(machine), scale)
    moved = annotations(machine).only(order)  # other order, same names
    after = binned_jsd(annotations(shuffled, items=list(order)), moved, scale)
    assert after.value == pytest.approx(before.value, abs=1e-12)
    assert [bin_.n_items for bin_ in after.bins] == [bin_.n_items for bin_ in before.bins]
    assert 0 <= before.value <= np.sqrt(np.log(2)) + 1e-12


@relaxed
@given(HUMAN, st.sampled_from(["nominal", "ordinal"]))
def test_a_machine_that_answers_as_people_do_is_at_distance_0_and_wins_as_often(rows, scale):
    human = annotations(rows)
    for row in stratified_table(human, human, scale):
        if row.n_items:
            assert row.divergence.value == pytest.approx(0, abs=1e-7)
            assert row.human_win_rates == row.machine_win_rates
            assert row.percentage.typical.value == 1.0
            # As they are written: from Python 3.13 on, results with a NaN inside are not equal to themselves.
            assert row.alpha.among_humans.to_dict() == row.alpha.among_machines.to_dict()
        else:
            assert np.isnan(row.alpha.difference)
            assert row.divergence.reason
            assert row.to_dict()["divergence"]["value"] is None


def test_items_are_matched_by_name_and_what_one_side_lacks_is_counted():
    human = Annotations.from_columns(["a", "a", "b", "b", "c"], None, [1, 1, 2, 1, 2], labels=[1, 2])
    machine = Annotations.from_columns(["d", "c", "a"], None, [1, 2, 1], labels=[2, 1])
    found = binned_jsd(human, machine)
    assert (found.n_items, found.left_out, found.value) == (2, 2, 0.0)
    (row, *_) = stratified_table(human, machine)
    assert [note[:8] for note in row.notes] == ["2 items "]
    assert row.percentage.typical.value == 1.0


def test_an_empty_partition_is_undefined_in_every_column_and_says_why():
    human = annotations([[1, 1], [2, 2]])
    empty = stratified_table(human, annotations([[1], [2]]), "ordinal")[4]
    assert (empty.partition, empty.n_items, empty.share) == ("PA < 60%", 0, 0.0)
    for comparison in (empty.alpha, empty.percentage, empty.fleiss, empty.randolph):
        assert comparison.typical.reason
        assert comparison.reason
    assert empty.correlations.spearman_mean.reason.startswith("fewer than two pairs")
    assert empty.to_dict()["human_win_rates"] == [None] * 4


def test_nothing_in_common_is_undefined():
    human = Annotations.from_columns(["a"], None, [1], labels=[1, 2])
    machine = Annotations.from_columns(["b"], None, [1], labels=[1, 2])
    assert binned_jsd(human, machine).reason == NO_BOTH_LABELS
    assert all(row.n_items == 0 for row in stratified_table(human, machine))


def test_one_label_for_all_people_is_undefined_or_the_convention():
    human, machine = annotations([[1, 1], [1, 1]]), annotations([[1], [2]])
    assert np.isnan(stratified_table(human, machine)[0].alpha.among_humans.value)
    assert stratified_table(human, machine, constant=1.0)[0].alpha.among_humans.value == 1.0


def test_a_random_person_is_drawn_once_for_all_rows_and_does_not_depend_on_the_order_of_people():
    rng = np.random.default_rng(0)
    votes = rng.integers(1, 5, (5, 40))
    human, turned = Annotations.from_matrix(votes, labels=LABELS), Annotations.from_matrix(votes[::-1], labels=LABELS)
    assert one_of_each(human, 7).tolist() == one_of_each(turned, 7).tolist()
    drawn = one_of_each(human, 7)
    assert all(LABELS[code] in votes[:, item] for item, code in enumerate(drawn))
    assert one_of_each(human, 8).tolist() != drawn.tolist()
    shares = np.mean([one_of_each(human, seed) for seed in range(2000)], axis=0)
    assert np.abs(shares - (votes - 1).mean(axis=0)).max() < 4 * 1.6 / np.sqrt(2000)


def test_the_table_takes_intervals():
    rng = np.random.default_rng(0)
    human = Annotations.from_matrix(rng.integers(1, 4, (4, 50)), labels=LABELS)
    row = stratified_table(human, human, bootstrap=Bootstrap(100))[0]
    interval = row.alpha.among_humans.interval
    assert interval.low < row.alpha.among_humans.value < interval.high


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a: typical_labels(a, "interval"), "scale is 'interval'; expected one of nominal, ordinal"),
        (lambda a: partitions_by_agreement(a, bounds=(0.8, 0.6)), r"bounds rise in \(0, 1\]"),
        (lambda a: partitions_by_agreement(a, bounds=(0.5, 1.2)), r"bounds rise in \(0, 1\]"),
        (lambda a: binned_jsd(a, a, base=1), "base is 1; expected a number above 1"),
        (lambda a: binned_jsd(a, Annotations.from_columns([0], None, [9])), "9, which is none of the humans' labels"),
        (lambda a: random_labeller(a, labels_an_item=0), "labels_an_item is 0; expected at least 1"),
        (lambda a: simulated_curve(labels=2, uncertain="all differ"), "3 annotators cannot all differ with 2 labels"),
        (lambda a: simulated_curve(uncertain="some"), "uncertain is"),
        (lambda a: typical_labels(a, ties="last"), "ties is"),
        (lambda a: simulated_curve(shares=[1.5]), "shares are .*; expected shares"),
        (lambda a: subset_curve(a, a, size=0), "size is 0; expected at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make(annotations([[1, 2], [2, 2]]))


def test_a_random_labeller_seems_as_good_as_people_only_where_people_are_uncertain():
    """The effect of Figure 2: with certainty the people's alpha rises to 1, and the random labeller's stays at 0."""
    points = simulated_curve(items=400, shares=[0.0, 0.5, 1.0], n_resamples=10, seed=1)
    none, half, all_ = points
    assert abs(none.among_humans - none.with_machine) < 0.05
    assert half.among_humans > 0.3
    assert abs(half.with_machine) < 0.05
    assert all_.among_humans == 1.0
    good = simulated_curve(items=400, shares=[1.0], accuracy=1.0, n_resamples=3)
    assert good[0].with_machine == 1.0


def a11(size, labels, share):
    """The paper's code (appendix A.11), its half of certain items generalised to a share; with the labels that stand
    for the people of each item."""
    certain = round(size * share)
    humans = [random.sample(labels, 2) for _ in range(size - certain)]
    humans += [[labels[item % len(labels)]] * 2 for item in range(certain)]
    labeller = [np.random.choice(labels) for _ in range(size)]
    return humans, labeller


def plain_alpha(pairs, labels, scale):
    """Krippendorff's alpha of pairs of labels, by its definition."""
    counts = [sum(pair.count(label) for pair in pairs) for label in labels]

    def distance(one, other):
        low, high = sorted((labels.index(one), labels.index(other)))
        if scale == "nominal" or low == high:
            return float(low != high)
        return (sum(counts[low : high + 1]) - (counts[low] + counts[high]) / 2) ** 2

    n = sum(counts)
    each = [(one, other, counts[a] * counts[b]) for a, one in enumerate(labels) for b, other in enumerate(labels)]
    expected = sum(count * distance(one, other) for one, other, count in each) / (n * (n - 1))
    return 1 - float(np.mean([distance(one, other) for one, other in pairs])) / expected


PAPER = {"annotators": 2, "uncertain": "all differ", "ties": "first given"}


@pytest.mark.parametrize(
    ("scale", "items", "labels", "typical", "share"),
    [
        ("nominal", 200, [0, 1], statistics.mode, 0.0),
        ("nominal", 200, [0, 1], statistics.mode, 0.4),
        ("ordinal", 600, [1, 2, 3], statistics.median_low, 0.2),
    ],
)
def test_the_design_of_the_paper_gives_what_its_code_gives(scale, items, labels, typical, share):
    random.seed(1)
    np.random.seed(1)
    theirs = []
    for _ in range(50):
        humans, labeller = a11(items, labels, share)
        pairs = list(zip(map(typical, humans), labeller, strict=True))
        theirs.append((plain_alpha(list(map(tuple, humans)), labels, scale), plain_alpha(pairs, labels, scale)))
    (ours,) = simulated_curve(items=items, labels=len(labels), scale=scale, shares=[share], n_resamples=50, **PAPER)
    people, machine = np.mean(theirs, axis=0)
    assert ours.among_humans == pytest.approx(people, abs=0.02)
    assert ours.with_machine == pytest.approx(machine, abs=0.05)  # 3.5 standard errors of both means


def test_in_the_design_of_the_paper_a_random_labeller_looks_better_than_people_who_are_uncertain():
    """The point of Figure 2: up to 40% of certain items, on a scale up to 20%."""
    for scale, items, labels, last in (("nominal", 200, 2, 0.4), ("ordinal", 600, 3, 0.2)):
        points = simulated_curve(items=items, labels=labels, scale=scale, n_resamples=20, **PAPER)
        better = [point.with_machine > point.among_humans + 0.05 for point in points]
        assert better == [point.share <= last for point in points]
    (none,) = simulated_curve(items=200, labels=2, shares=[0.0], n_resamples=200, **PAPER)
    assert none.among_humans == pytest.approx(-0.995, abs=1e-9)
    assert none.with_machine == pytest.approx(-0.006, abs=0.02)


def test_the_other_person_is_not_part_of_the_majority_that_they_are_compared_with():
    points = simulated_curve(items=300, annotators=3, labels=3, uncertain="all differ", shares=[0.0, 1.0])
    assert points[0].with_person < -0.4  # they never agree; if they were part of it, they would in a third
    assert points[1].with_person == 1.0
    for point in simulated_curve(items=60, labels=2, **PAPER):  # of two people, the majority is the other one
        assert point.with_person == pytest.approx(point.among_humans, abs=1e-12)


def test_alone_nobody_is_compared_with_a_majority():
    (point,) = simulated_curve(items=30, annotators=1, shares=[0.5], n_resamples=2)
    assert np.isnan([point.with_person, point.with_person_sd]).all()


def test_ties_of_subsets_are_broken_as_they_were_asked_to_be():
    human = Annotations.from_matrix([[2, 1, 2, 1], [1, 2, 1, 2]])
    machine = Annotations.from_matrix([[2, 1, 2, 1]])
    first, order = (
        subset_curve(human, machine, shares=[0.0], size=4, n_resamples=2, ties=ties)[0].with_machine
        for ties in ("first given", "label order")
    )
    assert first == 1
    assert order < 0.5


def test_a_curve_has_eleven_shares_of_200_items_three_people_and_five_labels_unless_told():
    points = simulated_curve(items=4, labels=2)
    assert [point.share for point in points] == pytest.approx(np.linspace(0, 1, 11))
    assert {point.n_resamples for point in points} == {20}
    plain, told = simulated_curve(shares=[0.4], n_resamples=2), {"items": 200, "annotators": 3, "labels": 5}
    assert plain == simulated_curve(shares=[0.4], n_resamples=2, **told)


def test_points_of_a_curve_can_be_computed_apart():
    together = simulated_curve(items=50, shares=[0.0, 0.3, 0.6], n_resamples=3, seed=5)
    assert together == tuple(simulated_curve(items=50, shares=[s], n_resamples=3, seed=5)[0] for s in (0.0, 0.3, 0.6))


def test_a_points_mean_and_spread_are_those_of_its_repeats():
    """Each repeat has its own random numbers, so means of fewer repeats give the value of each."""
    means = [simulated_curve(items=30, shares=[0.4], n_resamples=n, seed=2, accuracy=0.7)[0] for n in range(1, 5)]
    for name in ("among_humans", "with_machine"):
        sums = [n * getattr(point, name) for n, point in enumerate(means, start=1)]
        values = np.diff([0.0, *sums])
        assert getattr(means[-1], f"{name}_sd") == pytest.approx(values.std(ddof=1), rel=1e-9)
    assert means[-1].among_humans_sd != pytest.approx(means[-1].with_machine_sd)
    assert np.isnan([means[0].among_humans_sd, means[0].with_machine_sd]).all()


def test_subsets_have_the_share_of_certain_items_that_was_asked_for():
    rng = np.random.default_rng(0)
    certain = np.tile(rng.integers(1, 5, 60), (3, 1))
    uncertain = np.array([rng.permutation(LABELS)[:3] for _ in range(60)]).T
    human = Annotations.from_matrix(np.hstack([certain, uncertain]), labels=LABELS)
    model = random_labeller(human, seed=3)
    points = subset_curve(human, model, shares=[0.0, 0.5, 1.0], size=50, n_resamples=5)
    assert points[0].among_humans < points[1].among_humans < points[2].among_humans == 1.0
    short = subset_curve(human, model, shares=[1.0], size=100)[0]
    assert short.reason == "60 certain and 60 uncertain items, 100 and 0 wanted"
    assert short.to_dict()["with_machine"] is None


def test_a_subset_as_large_as_there_are_items_is_all_of_them_whoever_draws():
    rng = np.random.default_rng(1)
    certain, uncertain = (
        np.tile(rng.integers(1, 5, 8), (3, 1)),
        rng.permuted(np.tile(LABELS[:4], (8, 1)), axis=1)[:, :3].T,
    )
    human = Annotations.from_matrix(np.hstack([certain, uncertain]), labels=LABELS)
    (point,) = subset_curve(human, random_labeller(human, seed=3), shares=[0.5], size=16, n_resamples=4)
    assert point.among_humans == pytest.approx(krippendorff_alpha(human).value)
    assert point.among_humans_sd == pytest.approx(0, abs=1e-12)
    assert point.with_machine_sd == pytest.approx(0, abs=1e-12)


def test_a_curve_point_without_a_value_says_so():
    (point,) = simulated_curve(items=5, labels=1, shares=[1.0], n_resamples=2)
    assert point.reason == ALWAYS_UNDEFINED
    assert point.undefined == 2
