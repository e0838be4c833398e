"""Bootstrap intervals of correlations: of the right thing, over the right units, however the work is split."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.stats import CorrelationBootstrap, Judgements, correlation_intervals

SCIPY = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}


def study(seed, systems=12, instances=10, experts=9, each=3):
    """Scores and made-up judgements of a study."""
    rng = np.random.default_rng(seed)
    quality = rng.random(systems)
    rows = [
        (f"s{s:02}", i, f"e{e}", float(rng.random() < quality[s]))
        for s in range(systems)
        for i in range(instances)
        for e in rng.choice(experts, each, replace=False)
    ]
    system, comparison, expert, chosen = zip(*rows, strict=True)
    judged = Judgements.of(system=system, comparison=comparison, expert=expert, chosen=chosen)
    return {f"m{i}": quality + rng.normal(0, 0.2, systems) for i in range(3)}, judged


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 12) | st.integers(126, 132), st.booleans())
def test_the_compiled_coefficients_equal_scipy(seed, n, ties):
    from metaeval.stats.coefficient_kernels import NUMBER, coefficient

    rng = np.random.default_rng(seed)
    x, y = (rng.integers(0, 4, n).astype(float) if ties else rng.random(n) for _ in range(2))
    for name, number in NUMBER.items():
        ours = coefficient(number, x, y, n, np.empty(n), np.empty(n))
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert math.isnan(ours)
        else:
            assert ours == pytest.approx(getattr(scipy_stats, SCIPY[name])(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("over", [("systems",), ("comparisons", "experts"), ("systems", "comparisons", "experts")])
def test_shards_merge_to_the_result_of_one_run(over):
    scores, judged = study(1)
    bootstrap = CorrelationBootstrap(scores, judged, over=over, resamples=700, seed=3)
    blocks = [
        CorrelationBootstrap(scores, judged, over=over, resamples=700, seed=3).plan.block(b)
        for b in reversed(range(len(bootstrap.plan.blocks)))
    ]
    merged = bootstrap.plan.merged(blocks[::-1])
    assert (merged == bootstrap.plan.run()).all()
    assert merged.shape == (700, 3, 3)
    assert bootstrap.intervals(merged) == correlation_intervals(scores, judged, over=over, resamples=700, seed=3)


def test_replicates_over_systems_have_the_distribution_that_scipy_draws():
    rng = np.random.default_rng(5)
    x = rng.random(15)
    y = x + rng.normal(0, 0.3, 15)
    ours = CorrelationBootstrap({"m": x}, y, coefficients=["pearson"], resamples=4000, seed=1).plan.run()[:, 0, 0]
    theirs = scipy_stats.bootstrap(
        (x, y),
        lambda a, b: scipy_stats.pearsonr(a, b).statistic,
        paired=True,
        n_resamples=4000,
        rng=1,
        vectorized=False,
    ).bootstrap_distribution
    assert scipy_stats.ks_2samp(ours, theirs).pvalue > 0.001


def test_fractions_are_weighted_means_and_a_system_without_responses_has_none():
    judged = Judgements.of(
        system=["b", "a", "b", "b"],
        comparison=[1, 1, 1, 2],
        expert=["x", "x", "y", "x"],
        chosen=[1, 0.5, 0, 1],
        weight=[1, 1, 2, 1],
        systems=["a", "b", "c"],
    )
    assert judged.fractions()[:2].tolist() == [0.5, 0.5]
    assert math.isnan(judged.fractions()[2])
    assert judged.comparison_starts.tolist() == [0, 1, 3, 3]
    assert judged.experts == 2


def test_resampling_judgements_spreads_fractions_as_much_as_sampling_does():
    """One system, independent judgements: the standard error of its fraction is sqrt(p (1 - p) / n)."""
    rng = np.random.default_rng(2)
    from metaeval.stats.bootstrap_kernels import fractions_of

    n = 400
    judged = Judgements.of(system=["s"] * n, comparison=range(n), expert=range(n), chosen=rng.random(n) < 0.3)
    p = judged.fractions()[0]
    state = np.random.SeedSequence(1).generate_state(4, np.uint64)
    arrays = (judged.comparison, judged.expert, judged.chosen, judged.weight)
    starts = (judged.system_starts, judged.comparison_starts, judged.experts)
    drawn = fractions_of(state, 4000, True, False, *arrays, *starts)[:, 0]
    assert drawn.mean() == pytest.approx(p, abs=0.003)
    assert drawn.std() == pytest.approx(math.sqrt(p * (1 - p) / n), rel=0.06)


def test_the_judgements_error_belongs_in_the_interval():
    scores, judged = study(3)
    for alone, nested in zip(
        correlation_intervals(scores, judged, over=["systems"], method="percentile", resamples=2000),
        correlation_intervals(scores, judged, resamples=2000),
        strict=True,
    ):
        assert nested.interval.standard_error > 0
        assert alone.value == nested.value
        assert nested.interval.low < alone.interval.low + 0.02
        assert nested.over == ("systems", "comparisons", "experts")


def test_the_default_method_is_bca_for_systems_and_percentile_for_nested_judgements():
    scores, judged = study(3)
    methods = {
        over: correlation_intervals(scores, judged, over=over, resamples=50)[0].interval.method
        for over in (("systems",), ("systems", "experts"), ("comparisons", "experts"))
    }
    assert list(methods.values()) == ["bca", "percentile", "bca"]


@pytest.mark.parametrize("over", [("systems",), ("systems", "comparisons", "experts")])
def test_the_order_of_systems_changes_nothing_but_the_draw(over):
    """Intervals of the same data in another order differ by Monte-Carlo noise only."""
    scores, judged = study(4)
    order = np.random.default_rng(0).permutation(len(judged.systems))
    names = [judged.systems[i] for i in order]
    rows = [
        (judged.systems[s], judged.comparison[r], judged.expert[r], judged.chosen[r])
        for s in range(len(judged.systems))
        for r in range(judged.system_starts[s], judged.system_starts[s + 1])
    ]
    system, comparison, expert, chosen = zip(*rows, strict=True)
    moved = Judgements.of(system=system, comparison=comparison, expert=expert, chosen=chosen, systems=names)
    permuted = {name: row[order] for name, row in scores.items()}
    for one, two in zip(
        correlation_intervals(scores, judged, over=over, resamples=4000),
        correlation_intervals(permuted, moved, over=over, resamples=4000),
        strict=True,
    ):
        assert one.value == pytest.approx(two.value, abs=1e-12)
        assert (one.interval.low, one.interval.high) == pytest.approx((two.interval.low, two.interval.high), abs=0.06)


def test_undefined_scores_leave_systems_out_and_list_them():
    scores, judged = study(5)
    scores["m1"][[0, 3]] = np.nan
    found = correlation_intervals(scores, judged, coefficients=["spearman"], resamples=200)
    assert [interval.n for interval in found] == [12, 10, 12]
    assert found[1].excluded == ("s00", "s03")


def test_a_constant_row_and_a_single_system_are_undefined_with_a_reason():
    scores, judged = study(6)
    scores["flat"] = np.ones(12)
    flat = correlation_intervals(scores, judged, coefficients=["pearson"], resamples=50)[-1]
    assert flat.reason == "all values of flat are equal"
    assert flat.to_dict()["interval"]["low"] is None
    (single,) = correlation_intervals({"m": [0.3]}, [0.5], coefficients=["kendall"], resamples=20)
    assert "fewer than two pairs" in single.reason
    assert all("the target are equal" in found.reason for found in correlation_intervals({"m": [1, 2]}, [3, 3]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"over": ["moons"]}, "over is .'moons',.; expected some of systems, comparisons, experts"),
        ({"over": ["experts"]}, "only from judgements"),
        ({"systems": ["a"]}, "1 names of systems for 4 values"),
        ({"coefficients": ["r"]}, "coefficient is 'r'"),
        ({"method": "exact"}, "method is 'exact'"),
    ],
)
def test_impossible_requests_are_refused_in_words(change, message):
    with pytest.raises(ValueError, match=message):
        correlation_intervals({"m": [1, 2, 3, 5]}, [1, 2, 4, 3], resamples=10, **change)
    with pytest.raises(ValueError, match=r"m has shape \(2,\), the target \(4,\)"):
        correlation_intervals({"m": [1, 2]}, [1, 2, 4, 3])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"chosen": [2]}, r"chosen must lie in \[0, 1\]"),
        ({"chosen": [math.nan]}, r"chosen must lie in \[0, 1\]"),
        ({"weight": [-1]}, "weights must be finite"),
        ({"expert": []}, "expected one entry a response"),
        ({"systems": ["b"]}, "not among the given ones: a"),
    ],
)
def test_bad_judgements_are_refused_at_the_door(change, message):
    good = {"system": ["a"], "comparison": [1], "expert": ["x"], "chosen": [1]}
    with pytest.raises(ValueError, match=message):
        Judgements.of(**(good | change))
