"""Bootstrap intervals of correlations: of the right quantity, over the right units, however the work is divided."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.stats import CorrelationBootstrap, Judgements, correlation_intervals
from metaeval.stats.correlating.bootstrap import ONLY_NOISE, JudgingNoise

SCIPY = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}


def study(seed, systems=12, instances=10, experts=9, each=3):
    """Scores and invented judgements of a study."""
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
    from metaeval.stats.correlating.coefficient_kernels import NUMBER, coefficient

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
    bootstrap = CorrelationBootstrap(scores, judged, over=over, n_resamples=700, seed=3)
    blocks = [
        CorrelationBootstrap(scores, judged, over=over, n_resamples=700, seed=3).plan.block(b)
        for b in reversed(range(len(bootstrap.plan.blocks)))
    ]
    merged = bootstrap.plan.merged(blocks[::-1])
    assert (merged == bootstrap.plan.run()).all()
    assert merged.shape == (700, 3, 3)
    assert bootstrap.intervals(merged) == correlation_intervals(scores, judged, over=over, n_resamples=700, seed=3)


def test_replicates_over_systems_have_the_distribution_that_scipy_draws():
    rng = np.random.default_rng(5)
    x = rng.random(15)
    y = x + rng.normal(0, 0.3, 15)
    ours = CorrelationBootstrap({"m": x}, y, coefficients=["pearson"], n_resamples=4000, seed=1).plan.run()[:, 0, 0]
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
    from metaeval.stats.correlating.bootstrap_kernels import Over, fractions_of

    n = 400
    judged = Judgements.of(system=["s"] * n, comparison=range(n), expert=range(n), chosen=rng.random(n) < 0.3)
    p = judged.fractions()[0]
    state = np.random.SeedSequence(1).generate_state(4, np.uint64)
    over = Over(systems=False, comparisons=True, experts=False)
    drawn = fractions_of(state, 4000, over, judged.fractions(), 1.0, judged.responses())[:, 0]
    assert drawn.mean() == pytest.approx(p, abs=0.003)
    assert drawn.std() == pytest.approx(math.sqrt(p * (1 - p) / n), rel=0.06)


OVERS = [("comparisons",), ("experts",), ("comparisons", "experts")]


def crossed(rng, repetitions, over=("comparisons", "experts")):
    """Every expert judges every comparison; repetitions draw anew what `over` lists. chosen: (repetitions, S, I, E)."""
    level = np.array([0.3, 0.5, 0.6])[:, None, None]

    def noise(name, *shape):
        return rng.normal(0, 0.12, (repetitions if name in over else 1, *shape))

    difficulty = noise("comparisons", 3, 20, 1)
    leniency = noise("experts", 1, 1, 15)
    chance = np.clip(level + difficulty + leniency, 0, 1)
    return rng.random((repetitions, 3, 20, 15)) < chance


def judgements_of(chosen):
    s, i, e = (index.ravel().tolist() for index in np.indices(chosen.shape))
    return Judgements.of(system=[str(name) for name in s], comparison=i, expert=e, chosen=chosen.ravel())


@pytest.mark.parametrize("over", OVERS)
def test_the_noise_of_judges_is_estimated_without_bias(over):
    """The mean of the estimates is the variance that repetitions show; of one part alone, it may hold some of the
    other's, which is spread over the responses: less than a fifth here."""
    rng = np.random.default_rng(3)
    studies = crossed(rng, 400)
    true = crossed(rng, 4000, over).mean(axis=(2, 3)).var(axis=0).sum()
    found = []
    for chosen in studies:
        judged = judgements_of(chosen)
        found.append(JudgingNoise.of(judged, judged.fractions()).variances(over)[1])
    assert np.mean(found) == pytest.approx(true, rel=0.06 if len(over) == 2 else 0.2)


@pytest.mark.parametrize("over", OVERS)
def test_what_resampling_adds_is_known_and_brought_to_what_a_repetition_has(over):
    from metaeval.stats.correlating.bootstrap_kernels import Over, fractions_of

    judged = judgements_of(crossed(np.random.default_rng(4), 1)[0])
    fractions = judged.fractions()
    noise = JudgingNoise.of(judged, fractions)
    added, true = noise.variances(over)
    for scale, expected in ((1.0, added), (noise.scale(over), true)):
        what = Over(systems=False, comparisons="comparisons" in over, experts="experts" in over)
        state = np.random.SeedSequence(1).generate_state(4, np.uint64)
        drawn = fractions_of(state, 8000, what, fractions, scale, judged.responses())
        assert drawn.var(axis=0).sum() == pytest.approx(expected, rel=0.06)
        assert drawn.mean(axis=0) == pytest.approx(fractions, abs=0.004)


@pytest.mark.parametrize("over", OVERS)
@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_what_resampling_adds_is_the_second_moment_of_the_counts(over, seed):
    """Of n units drawn n times, two counts have the mean product 1 + [the same unit] - 1 / n; written out for every
    two responses, each a part of its system's deviation."""
    rng = np.random.default_rng(seed)
    places = [(s, i, e) for s, most in enumerate((2, 3, 5)) for i in range(most) for e in range(4)]
    asked = [place for place in places if place[2] == place[1] % 4 or rng.random() < 0.6]
    system, comparison, expert = np.array(asked).T
    chosen, weight = rng.random(len(asked)), rng.random(len(asked)) + 0.1
    judged = Judgements.of(
        system=[str(s) for s in system], comparison=comparison, expert=expert, chosen=chosen, weight=weight
    )
    alike = system[:, None] == system
    fraction = (alike @ (weight * chosen)) / (alike @ weight)
    deviation = weight * (chosen - fraction) / (alike @ weight)
    moment = np.ones((len(asked), len(asked)))
    if "comparisons" in over:
        same = comparison[:, None] == comparison
        moment *= np.where(alike, 1 + same - 1 / np.array([2, 3, 5])[system], 1)
    if "experts" in over:
        moment *= 1 + (expert[:, None] == expert) - 1 / judged.experts
    direction = np.linalg.qr(rng.normal(size=(3, 1)))[0]
    for projector in (np.eye(3), np.eye(3) - direction @ direction.T):
        expected = (projector[system[:, None], system] * moment * np.outer(deviation, deviation)).sum()
        noise = JudgingNoise.of(judged, judged.fractions())
        assert noise.variances(over, projector)[0] == pytest.approx(expected, abs=1e-12)


def test_each_system_draws_as_many_comparisons_as_it_has():
    """Of one comparison nothing can vary; of two that disagree, the fraction is 0, 1/2 or 1, as two coins say."""
    from metaeval.stats.correlating.bootstrap_kernels import Over, fractions_of

    judged = Judgements.of(system="abbccc", comparison=range(6), expert="xxxxxx", chosen=[0.3, 0, 1, 0, 0, 1])
    state = np.random.SeedSequence(1).generate_state(4, np.uint64)
    over = Over(systems=False, comparisons=True, experts=False)
    a, b, c = fractions_of(state, 800, over, judged.fractions(), 1.0, judged.responses()).T
    assert a == pytest.approx(0.3, abs=1e-15)
    assert np.histogram(b, [0, 0.25, 0.75, 1])[0] / 800 == pytest.approx([1 / 4, 1 / 2, 1 / 4], abs=0.06)
    counts = np.histogram(c, [0, 1 / 6, 1 / 2, 5 / 6, 1])[0] / 800
    assert counts == pytest.approx([8 / 27, 12 / 27, 6 / 27, 1 / 27], abs=0.06)


def test_a_system_that_is_drawn_again_has_experts_of_its_own():
    """Three systems with the same answers share the drawn experts, and so their noise, but not with their copies."""
    from metaeval.stats.correlating.bootstrap_kernels import Over, resample, room_for

    judged = Judgements.of(
        system=np.repeat(list("abc"), 20).tolist(),
        comparison=range(60),
        expert=list(range(20)) * 3,
        chosen=np.tile(np.random.default_rng(1).random(20), 3),
    )
    state = np.random.SeedSequence(1).generate_state(4, np.uint64)
    over, room = Over(systems=True, comparisons=False, experts=True), room_for(judged.responses())
    slots, observed, moved = np.zeros(3, dtype=np.int64), np.zeros(3), np.zeros(3)
    copies = 0
    for _ in range(20):
        resample(state, over, judged.fractions(), judged.responses(), room, slots, observed, moved)
        first = np.unique(slots, return_index=True)[1]
        assert moved[first] == pytest.approx(moved[0], abs=1e-12)
        again = np.setdiff1d(range(3), first)
        copies += len(again)
        assert len({0.0, *moved[again].round(12), moved[0].round(12)}) == len(again) + 2
    assert copies > 5


def test_fractions_lose_the_noise_that_resampling_adds_again():
    """Shrunken residuals and added noise have the observed residuals' sum of squares; the line stays where it is."""
    scores, judged = study(3)
    fractions = judged.fractions()
    noise = JudgingNoise.of(judged, fractions)
    scale, pull, only_noise = noise.shrunken(OVERS[2], fractions, scores["m0"])
    assert not only_noise
    line = np.polynomial.Polynomial.fit(scores["m0"], fractions, 1)
    basis = np.linalg.qr(np.column_stack([np.ones(12), scores["m0"]]))[0]
    projector = np.eye(12) - basis @ basis.T
    added, true = noise.variances(OVERS[2], projector)
    left = fractions - pull - line(scores["m0"])
    assert scale == pytest.approx(math.sqrt(true / added))
    assert (left**2).sum() + true == pytest.approx(((fractions - line(scores["m0"])) ** 2).sum())
    assert np.polynomial.Polynomial.fit(scores["m0"], fractions - pull, 1).convert().coef == pytest.approx(
        line.convert().coef
    )


def test_fractions_that_hold_nothing_but_noise_are_shrunk_onto_the_line():
    """Twelve systems of 15 to 17 wins in 32: far closer to each other than 32 coins would be."""
    wins = [15, 16, 17] * 4
    judged = Judgements.of(
        system=[f"{s:02}" for s in range(12) for _ in range(32)],
        comparison=list(range(32)) * 12,
        expert=list(range(12 * 32)),
        chosen=[float(r < n) for n in wins for r in range(32)],
    )
    x = np.random.default_rng(1).random(12)
    fractions = judged.fractions()
    scale, pull, only_noise = JudgingNoise.of(judged, fractions).shrunken(OVERS[2], fractions, x)
    line = np.polynomial.Polynomial.fit(x, fractions, 1)(x)
    assert only_noise
    assert 0 < scale <= 1
    (found,) = correlation_intervals({"m": x}, judged, coefficients=["pearson"], n_resamples=50)
    assert found.notes == (ONLY_NOISE,)
    assert fractions - pull == pytest.approx(line)


@pytest.mark.parametrize("over", [*OVERS, ("systems", "comparisons", "experts")])
def test_replicates_over_judgements_are_not_drawn_towards_zero_again(over):
    scores, judged = study(3, instances=14)
    bootstrap = CorrelationBootstrap(scores, judged, over=over, coefficients=["pearson"], n_resamples=3000, seed=1)
    for row, found in zip(bootstrap.plan.run()[:, 0].T, bootstrap.intervals(bootstrap.plan.run()), strict=True):
        assert np.nanmedian(row) == pytest.approx(found.value, abs=0.04)
        assert found.value in found.interval
        assert found.interval.standard_error > 0


@pytest.mark.parametrize(("over", "stretch"), [(("systems",), math.sqrt(8 / 7)), (("comparisons",), 1.0)])
def test_an_interval_is_about_the_average_that_repetitions_show(over, stretch):
    """Quantiles of the replicates at Phi(z0 + z), z0 from the share of them below the observed value, and half of those
    equal to it."""
    scores, judged = study(7, systems=8, instances=3)
    bootstrap = CorrelationBootstrap(
        {"m": scores["m0"]}, judged, over=over, coefficients=["pearson"], n_resamples=200, seed=2
    )
    replicates = bootstrap.plan.run()
    (found,) = bootstrap.intervals(replicates, confidence_level=0.8, method="percentile")
    drawn = replicates[:, 0, 0]
    z0 = scipy_stats.norm.ppf(np.heaviside(np.round(found.value - drawn, 12), 0.5).mean())
    z = stretch * scipy_stats.norm.ppf(0.9)
    expected = np.quantile(drawn, scipy_stats.norm.cdf([z0 - z, z0 + z]))
    assert [found.interval.low, found.interval.high] == pytest.approx(expected, abs=1e-12)
    again = {"over": over, "coefficients": ["pearson"], "n_resamples": 200, "confidence_level": 0.8, "seed": 2}
    assert correlation_intervals({"m": scores["m0"]}, judged, method="percentile", **again) == (found,)
    assert abs(z0) > 0.2  # so that other levels would be seen


def test_a_system_without_a_score_has_no_part_in_the_noise_of_its_row():
    scores, judged = study(5)
    scores["m1"][[0, 3]] = np.nan
    noise = JudgingNoise.of(judged, judged.fractions())
    _, pull, _ = noise.shrunken(OVERS[2], judged.fractions(), scores["m1"])
    assert pull[0] == pull[3] == 0.0
    assert np.isfinite(pull).all()
    assert noise.shrunken(OVERS[2], judged.fractions(), np.full(12, np.nan))[0] == 1.0


@pytest.mark.parametrize("over", [("systems",), ("systems", "comparisons", "experts")])
def test_the_order_of_systems_changes_nothing_but_the_draw(over):
    """Intervals of the same data in another order differ only by Monte Carlo noise."""
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
        correlation_intervals(scores, judged, over=over, n_resamples=4000),
        correlation_intervals(permuted, moved, over=over, n_resamples=4000),
        strict=True,
    ):
        assert one.value == pytest.approx(two.value, abs=1e-12)
        assert (one.interval.low, one.interval.high) == pytest.approx((two.interval.low, two.interval.high), abs=0.06)


def test_undefined_scores_leave_systems_out_and_list_them():
    scores, judged = study(5)
    scores["m1"][[0, 3]] = np.nan
    found = correlation_intervals(scores, judged, coefficients=["spearman"], n_resamples=200)
    assert [note[:10] for note in found[0].notes] == ["9 experts "]
    assert [interval.n for interval in found] == [12, 10, 12]
    assert found[1].excluded == ("s00", "s03")


def test_a_constant_row_and_a_single_system_are_undefined_with_a_reason():
    scores, judged = study(6)
    scores["flat"] = np.ones(12)
    flat = correlation_intervals(scores, judged, coefficients=["pearson"], n_resamples=50)[-1]
    assert flat.reason == "all values of flat are equal"
    assert flat.to_dict()["interval"]["low"] is None
    (single,) = correlation_intervals({"m": [0.3]}, [0.5], coefficients=["kendall"], n_resamples=20)
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
        correlation_intervals({"m": [1, 2, 3, 5]}, [1, 2, 4, 3], n_resamples=10, **change)
    with pytest.raises(ValueError, match=r"\bm .*\(2,\), .*target \(4,\)"):
        correlation_intervals({"m": [1, 2]}, [1, 2, 4, 3])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"chosen": [2]}, r"chosen must lie in \[0, 1\]"),
        ({"chosen": [math.nan]}, r"chosen must lie in \[0, 1\]"),
        ({"weight": [-1]}, "weights must be finite"),
        ({"expert": []}, "expected one entry per response"),
        ({"systems": ["b"]}, "not among the given ones: a"),
    ],
)
def test_bad_judgements_are_refused_at_the_door(change, message):
    good = {"system": ["a"], "comparison": [1], "expert": ["x"], "chosen": [1]}
    with pytest.raises(ValueError, match=message):
        Judgements.of(**(good | change))


def test_a_target_of_many_values_takes_no_room_for_every_two_of_them():
    """Items are thousands: a cell for every two of 6,000 would be 288 MB."""
    rng = np.random.default_rng(1)
    tracemalloc.start()
    bootstrap = CorrelationBootstrap({"m": rng.random(6000)}, rng.random(6000), n_resamples=10)
    bootstrap.plan.block(0)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20_000_000
