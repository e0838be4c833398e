"""Wilcoxon's test with every treatment of zeros, and the leaderboard on top of it."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.stats import leaderboard, wilcoxon, wilcoxon_clusters
from metaeval.stats.ranking.wilcoxon import NO_DIFFERENCE

ZEROS = ["wilcox", "pratt", "zsplit"]


@pytest.mark.shared_data
@pytest.mark.parametrize("zero_method", ZEROS)
@pytest.mark.parametrize("null", ["approx", "auto"])
def test_statistic_and_p_of_differences_as_stored_equal_the_golden_ones(golden, zero_method, null):
    """The golden p-values are SciPy's of these decimals: equal differences that rounding told apart are no ties there.

    What it gives for the hundredths is in `test_ties`.
    """
    case = json.loads((golden / "statistics.json").read_text())["wilcoxon"]
    found = wilcoxon(case["a"], case["b"], zero_method=zero_method, null=null, ties="stored")
    assert [found.statistic, found.pvalue] == pytest.approx(case[f"{zero_method}_{null}"], abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(-4, 4), min_size=2, max_size=40),
    st.sampled_from(ZEROS),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_the_normal_approximation_equals_scipy(d, zero_method, alternative):
    if not any(d):
        return
    theirs = scipy_stats.wilcoxon(d, zero_method=zero_method, alternative=alternative, method="approx")
    ours = wilcoxon(d, zero_method=zero_method, alternative=alternative, null="approx")
    assert (ours.statistic, ours.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(-1, 1).map(lambda d: round(d, 6)).filter(bool), min_size=2, max_size=45, unique_by=abs))
def test_the_exact_distribution_equals_scipy_without_ties(d):
    theirs = scipy_stats.wilcoxon(d, method="exact")
    ours = wilcoxon(d, null="exact")
    assert (ours.statistic, ours.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-10)


@pytest.mark.parametrize("zero_method", ZEROS)
def test_the_exact_distribution_with_ties_and_zeros_counts_all_signs(zero_method):
    rng = np.random.default_rng(3)
    for _ in range(20):
        d = rng.integers(-3, 4, 9).astype(float)
        moving = d != 0
        ranks = scipy_stats.rankdata(np.abs(d) if zero_method != "wilcox" else np.abs(d[moving]))
        ranks = ranks[moving] if zero_method != "wilcox" else ranks
        signs = (np.arange(2 ** len(ranks))[:, None] >> np.arange(len(ranks))) & 1
        sums, seen = signs @ ranks, ranks[d[moving] > 0].sum()
        expected = min(1, 2 * min((sums >= seen).mean(), (sums <= seen).mean()))
        assert wilcoxon(d, zero_method=zero_method, null="exact").pvalue == pytest.approx(expected, abs=1e-12)


def test_exchanging_the_samples_changes_the_tail_alone():
    rng = np.random.default_rng(4)
    a, b = rng.random((2, 20))
    assert wilcoxon(a, b).pvalue == pytest.approx(wilcoxon(b, a).pvalue, abs=1e-15)
    greater, less = wilcoxon(a, b, alternative="greater"), wilcoxon(b, a, alternative="less")
    assert greater.pvalue == pytest.approx(less.pvalue, abs=1e-15)


def test_numbers_of_any_type_count_as_what_they_are():
    tenths = [Fraction(n, 10) for n in (3, 1, 4, 1, 5, 9)], [Fraction(n, 10) for n in (2, 7, 1, 8, 2, 8)]
    assert wilcoxon(*tenths) == wilcoxon(*([float(value) for value in values] for values in tenths))


def test_equal_samples_are_undefined():
    found = wilcoxon([1, 2], [1, 2])
    assert found.reason == NO_DIFFERENCE
    assert found.to_dict()["pvalue"] is None
    with pytest.raises(ValueError, match="all finite"):
        wilcoxon([1, 2], [1, np.nan])
    with pytest.raises(ValueError, match="zero_method is 'drop'"):
        wilcoxon([1, 2], zero_method="drop")


@pytest.fixture
def scores():
    """Errors on 60 items: a and b alike, c worse, d like c, e worst."""
    rng = np.random.default_rng(5)
    base = rng.random(60)
    levels = {"c": 0.3, "a": 0.0, "e": 0.9, "b": 0.003, "d": 0.303}
    return {name: base + level + rng.normal(0, 0.05, 60) for name, level in levels.items()}


def test_systems_that_the_test_cannot_tell_from_the_best_of_theirs_share_a_position(scores):
    table = wilcoxon_clusters(scores)
    assert [{s.system for s in table if s.cluster == c} for c in (1, 2, 3)] == [{"a", "b"}, {"c", "d"}, {"e"}]
    assert [s.position for s in table] == [1, 1, 3, 3, 5]
    assert [s.position for s in wilcoxon_clusters(scores, positions="dense")] == [1, 1, 2, 2, 3]
    assert np.isnan(table[0].pvalue)
    assert all(s.pvalue >= 0.05 for s in table if s.position == 1 and s is not table[0])


def test_a_cluster_is_compared_with_its_best_not_with_its_neighbour():
    """Each step is too small to see, two steps are not."""
    rng = np.random.default_rng(6)
    base = rng.random(40)
    scores = {str(k): base + 0.012 * k + rng.normal(0, 0.03, 40) for k in range(6)}
    table = wilcoxon_clusters(scores)
    by_cluster: dict[int, list] = {}
    for standing in table:
        by_cluster.setdefault(standing.cluster, []).append(standing.system)
    best = {cluster: members[0] for cluster, members in by_cluster.items()}
    for cluster, members in by_cluster.items():
        for member in members[1:]:
            assert wilcoxon(scores[member], scores[best[cluster]]).pvalue >= 0.05
        if cluster > 1:
            assert wilcoxon(scores[members[0]], scores[best[cluster - 1]]).pvalue < 0.05
    assert len(by_cluster) > 1


def test_higher_is_better_turns_the_table(scores):
    table = wilcoxon_clusters({name: -row for name, row in scores.items()}, higher_is_better=True)
    assert [s.system for s in table] == [s.system for s in wilcoxon_clusters(scores)]


def test_the_order_in_which_systems_are_given_changes_nothing(scores):
    backwards = dict(reversed(scores.items()))
    assert [vars(s) for s in wilcoxon_clusters(backwards)[1:]] == [vars(s) for s in wilcoxon_clusters(scores)[1:]]


def test_identical_systems_tie_and_one_system_is_first():
    row = [0.1, 0.4, 0.2]
    assert [s.position for s in wilcoxon_clusters({"a": row, "b": row})] == [1, 1]
    assert [s.position for s in wilcoxon_clusters({"a": row})] == [1]


def test_missing_submissions_are_scored_as_the_baseline_and_positions_are_averaged(scores):
    other = {"e": scores["a"], "c": scores["c"]}
    found = leaderboard({"one": scores, "two": other}, baseline="c")
    substituted = {s.system for s in found.tables["two"] if s.substituted}
    assert substituted == {"a", "b", "d"}
    averages = dict(zip(found.systems, found.average_positions, strict=True))
    assert averages["e"] == (5 + 1) / 2
    assert averages["a"] == (1 + 2) / 2
    assert list(found.average_positions) == sorted(found.average_positions)
    with pytest.raises(ValueError, match=r"table two .*'b'"):
        leaderboard({"one": scores, "two": other}, baseline="b")
    alone = leaderboard({"one": scores, "two": other}, baseline=None)
    places = dict(zip(alone.systems, alone.average_positions, strict=True))
    assert {name for name, average in places.items() if math.isnan(average)} == set(scores) ^ set(other)
    assert not any(standing.substituted for table in alone.tables.values() for standing in table)


def test_a_missing_submission_takes_no_place_unless_it_is_asked_to(scores):
    """The substitute is followed by e, which three missing submissions would move from fifth to eighth place."""
    other = dict.fromkeys(("c", "x", "y", "z"), scores["a"])
    found = leaderboard({"one": scores, "two": other}, baseline="c")
    places = {s.system: s.position for s in found.tables["one"]}
    assert {places[name] for name in "cxyz"} == {3}
    assert places["e"] == 5
    assert [s.position for s in found.tables["one"]] == sorted(places.values())
    own = leaderboard({"one": scores, "two": other}, baseline="c", missing_places="own")
    assert {s.system: s.position for s in own.tables["one"]}["e"] == 8


def test_what_is_no_submission_is_never_stood_in_for(scores):
    found = leaderboard({"one": scores, "two": {"c": scores["c"]}}, baseline="c", never_missing={"e"})
    assert "e" not in {s.system for s in found.tables["two"]}
    assert "a" in {s.system for s in found.tables["two"]}


def test_six_systems_that_are_all_alike_split_in_two_fifths_of_tables():
    """A property of the published rule: the best of six is the best by chance, and the others are compared with it."""
    rng = np.random.default_rng(8)
    tables = 400
    split = sum(
        wilcoxon_clusters(dict(zip("abcdef", rng.normal(size=(6, 60)), strict=True)))[-1].cluster > 1
        for _ in range(tables)
    )
    assert 0.33 < split / tables < 0.47


def test_scores_of_different_items_are_refused():
    with pytest.raises(ValueError, match="the same items for each system"):
        wilcoxon_clusters({"a": [1, 2, 3], "b": [1, 2]})
