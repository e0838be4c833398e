"""Permutation tests: exact if possible, honest if sampled, the same however they are divided."""

import json
import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.sampling import seed_sequence, stream
from metaeval.stats import PermutationPlan, correlation_tests
from metaeval.stats.correlating.coefficients import correlation
from metaeval.stats.correlating.permutation import BLOCK
from metaeval.stats.correlating.permutation_kernels import LANES, PLACE_BITS, draw_halves, fill, fill_by_words, network

SCIPY = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}


@pytest.fixture
def exact_case(golden):
    return json.loads((golden / "statistics.json").read_text())["exact_permutation_n7"]


def rows(seed, systems=25, count=6):
    rng = np.random.default_rng(seed)
    return {f"m{i}": rng.random(systems) for i in range(count)}, rng.random(systems)


@pytest.mark.shared_data
@pytest.mark.parametrize("two_sided", ["double", "magnitude"])
def test_every_permutation_of_seven_systems_with_ties_is_counted_as_in_the_reference(exact_case, two_sided):
    for test in correlation_tests({"m": exact_case["x"]}, exact_case["y"], two_sided=two_sided):
        expected = exact_case["results"]["kendall_tau_b" if test.coefficient == "kendall" else test.coefficient]
        p = expected["p_two_sided_2min" if two_sided == "double" else "p_two_sided_abs"]
        assert test.exact
        assert test.n_resamples == expected["n_perm"]
        assert test.value == pytest.approx(expected["r"], abs=1e-12)
        assert test.count_greater_equal == expected["count_greater_equal"]
        assert test.count_less_equal == expected["count_less_equal"]
        assert test.count_magnitude == expected["count_abs_greater_equal"]
        assert test.pvalue == pytest.approx(p, abs=1e-12)
        assert test.p_error == 0.0


@pytest.mark.parametrize("coefficient", list(SCIPY))
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_exact_p_values_equal_scipy(coefficient, alternative):
    scores, target = rows(1, systems=6, count=1)
    statistic = getattr(scipy_stats, SCIPY[coefficient])
    (test,) = correlation_tests(scores, target, coefficients=[coefficient], alternative=alternative)
    reference = scipy_stats.permutation_test(
        (scores["m0"],),
        lambda x: statistic(x, target).statistic,
        permutation_type="pairings",
        n_resamples=np.inf,
        alternative=alternative,
    )
    assert test.exact
    assert test.value == pytest.approx(reference.statistic, abs=1e-12)
    assert test.pvalue == pytest.approx(reference.pvalue, abs=1e-12)


@pytest.mark.parametrize("coefficient", list(SCIPY))
def test_sampled_p_values_agree_with_exact_ones_within_their_stated_error(coefficient):
    scores, target = rows(2, systems=8, count=4)
    exact = correlation_tests(scores, target, coefficients=[coefficient], n_resamples=math.factorial(8))
    sampled = correlation_tests(scores, target, coefficients=[coefficient], n_resamples=20_000, seed=4)
    for true, estimate in zip(exact, sampled, strict=True):
        assert true.exact
        assert not estimate.exact
        assert abs(estimate.pvalue - true.pvalue) < 4 * estimate.p_error


def test_a_sampled_p_value_is_never_zero():
    x = np.arange(30.0)
    for test in correlation_tests({"m": x}, x, n_resamples=999):
        assert test.value == pytest.approx(1.0)
        assert test.pvalue == 2 / 1000
        assert test.p_family == 1 / 1000
        assert test.count_greater_equal == 0


@pytest.mark.parametrize(("alternative", "expected"), [("greater", 1 / 1000), ("less", 1.0)])
def test_the_alternative_is_the_tail_that_is_counted(alternative, expected):
    x = np.arange(30.0)
    (test,) = correlation_tests({"m": x}, x, coefficients=["pearson"], n_resamples=999, alternative=alternative)
    assert test.pvalue == expected


def test_the_same_seed_gives_the_same_result_and_another_seed_another():
    scores, target = rows(3)
    first, second, other = (correlation_tests(scores, target, n_resamples=5000, seed=s) for s in (7, 7, 8))
    assert first == second
    assert first != other


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 1000), st.integers(1, 4 * BLOCK), st.randoms(use_true_random=False))
def test_the_result_does_not_depend_on_who_did_which_block_in_which_order(seed, permutations, random):
    scores, target = rows(4, systems=12, count=3)
    scores["m1"][[2, 5]] = np.nan
    plan = PermutationPlan(scores, target, n_resamples=permutations, seed=seed)
    blocks = list(range(len(plan.blocks)))
    random.shuffle(blocks)
    cut = random.randint(0, len(blocks))
    shards = [
        sum((PermutationPlan(scores, target, n_resamples=permutations, seed=seed).count(b) for b in part), plan.empty())
        for part in (blocks[:cut], blocks[cut:])
    ]
    assert plan.tests(shards[0] + shards[1]) == plan.run()


def test_streams_are_those_that_numpy_would_spawn():
    root = seed_sequence(11)
    spawned = np.random.SeedSequence(11).spawn(4)[3]
    assert stream(root, 3).generate_state(4).tolist() == spawned.generate_state(4).tolist()
    assert seed_sequence(root) is root
    assert seed_sequence(np.random.default_rng(1)).entropy == seed_sequence(np.random.default_rng(1)).entropy


def test_all_metrics_see_the_same_permutations():
    scores, target = rows(5, count=1)
    scores["twin"] = scores["m0"] * 3 - 1
    one, twin = correlation_tests(scores, target, coefficients=["pearson"], n_resamples=3000)
    assert one.count_greater_equal == twin.count_greater_equal
    assert one.p_family == one.count_magnitude / 3001 + 1 / 3001  # the maximum of two equal rows is either


@pytest.mark.parametrize("how", ["network", "shuffle"])
def test_permutations_are_uniform(how):
    """Each of the 24 orders of 4 systems, drawn 24,000 times, comes about 1,000 times (chi-squared, 23 degrees)."""
    from metaeval.generator import lane_states
    from metaeval.stats.correlating.permutation_kernels import LANES, fill, network

    states = lane_states(np.random.SeedSequence(1), LANES)
    seen: dict[tuple, int] = {}
    orders = np.zeros((4, LANES), dtype=np.uint32)
    comparators = network(4) if how == "network" else np.zeros((0, 2), dtype=np.int64)
    for _ in range(24_000 // LANES):
        fill(states, False, 0, comparators, orders)
        for order in orders.T:
            seen[tuple(order)] = seen.get(tuple(order), 0) + 1
    statistic = sum((count - 1000) ** 2 / 1000 for count in seen.values())
    assert len(seen) == 24
    assert statistic < scipy_stats.chi2.ppf(0.9999, 23)


def test_where_upper_halves_tie_the_whole_keys_decide():
    """Of 128 systems, about one in 64 draws has two keys whose upper halves are alike."""
    from metaeval.generator import lane_states
    from metaeval.stats.correlating import permutation_kernels as shuffling

    states = lane_states(np.random.SeedSequence(2), shuffling.LANES)
    comparators, tied = shuffling.network(128), 0
    for _ in range(300):
        quick, whole, halves = states.copy(), states.copy(), states.copy()
        orders, expected, keys = (np.zeros((128, shuffling.LANES), dtype=np.uint32) for _ in range(3))
        shuffling.fill(quick, False, 0, comparators, orders)
        shuffling.fill_by_words(whole, comparators, expected)
        shuffling.draw_halves(halves, keys)
        shuffling.exchange(keys, comparators)
        tied += shuffling.is_tied(keys)
        assert (orders == expected).all()
        assert (quick == whole).all()  # and the next draw is the same, too
        states = quick
    assert 0 < tied < 30


def test_threads_change_no_count():
    scores, target = rows(3)
    plan = PermutationPlan(scores, target, n_resamples=20 * BLOCK, seed=4)
    told = []
    together = plan.run(lambda done, total: told.append((done, total)))
    assert together == plan.tests(sum((plan.count(block) for block in range(len(plan.blocks))), plan.empty()))
    assert told == [(done, len(plan.blocks)) for done in range(len(plan.blocks) + 1)]


def test_what_raises_in_progress_stops_the_threads():
    class Stopped(Exception):
        pass

    def stop(done: int, _: int) -> None:
        if done == 3:
            raise Stopped

    scores, target = rows(3)
    with pytest.raises(Stopped):
        PermutationPlan(scores, target, n_resamples=20 * BLOCK).run(stop)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 25, 31, 100, 128])
def test_the_network_sorts(n):
    from metaeval.stats.correlating.permutation_kernels import network

    keys = np.random.default_rng(n).integers(0, 2, (n, 500))  # what sorts zeros and ones sorts everything
    for upper, lower in network(n):
        keys[[upper, lower]] = np.sort(keys[[upper, lower]], axis=0)
    assert (np.diff(keys, axis=0) >= 0).all()


def test_many_systems_are_shuffled_instead():
    scores, target = rows(14, systems=150, count=1)
    (test,) = correlation_tests(scores, target, coefficients=["pearson"], n_resamples=4000)
    reference = scipy_stats.pearsonr(scores["m0"], target).pvalue
    assert abs(test.pvalue - reference) < 5 * test.p_error


def test_enumeration_lists_every_permutation_once_in_lexicographic_order():
    from metaeval.stats.correlating.permutation_kernels import unrank

    order = np.arange(5)
    listed = []
    for index in range(120):
        unrank(index, order)
        listed.append(tuple(order.tolist()))
    assert listed == list(permutations(range(5)))


def test_an_undefined_score_leaves_the_system_out_of_that_row_only_and_is_listed():
    scores, target = rows(6, systems=10, count=3)
    scores["m1"][[2, 7]] = np.nan
    names = [f"s{i}" for i in range(10)]
    tests = correlation_tests(scores, target, coefficients=["spearman"], n_resamples=2000, systems=names)
    assert [test.n for test in tests] == [10, 8, 10]
    assert [test.excluded for test in tests] == [(), ("s2", "s7"), ()]
    kept = np.isfinite(scores["m1"])
    expected = scipy_stats.spearmanr(scores["m1"][kept], target[kept]).statistic
    assert tests[1].value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("coefficient", list(SCIPY))
def test_a_row_with_systems_left_out_gets_the_p_value_of_a_test_without_them(coefficient):
    scores, target = rows(7, systems=14, count=3)
    scores["m1"][[0, 3, 9]] = np.nan
    kept = np.isfinite(scores["m1"])
    together = correlation_tests(scores, target, coefficients=[coefficient], n_resamples=40_000, seed=1)[1]
    (alone,) = correlation_tests(
        {"m1": scores["m1"][kept]}, target[kept], coefficients=[coefficient], n_resamples=40_000, seed=2
    )
    assert together.value == alone.value
    assert abs(together.pvalue - alone.pvalue) < 4 * math.hypot(together.p_error, alone.p_error)


@pytest.mark.parametrize("coefficient", list(SCIPY))
def test_a_row_small_enough_is_enumerated_beside_larger_sampled_ones(coefficient):
    scores, target = rows(8, systems=12, count=2)
    scores["m1"][5:] = np.nan
    big, small = correlation_tests(scores, target, coefficients=[coefficient], n_resamples=1000)
    (alone,) = correlation_tests({"m": scores["m1"][:5]}, target[:5], coefficients=[coefficient])
    assert not big.exact
    assert (small.exact, small.n_resamples, small.pvalue) == (True, 120, alone.pvalue)
    assert small.p_family >= 1 / 1001


def test_a_missing_target_leaves_the_system_out_everywhere():
    scores, target = rows(9, systems=10, count=2)
    target[4] = np.nan
    for test in correlation_tests(scores, target, n_resamples=100):
        assert test.excluded == ("4",)
        assert test.n == 9


def test_constant_input_is_undefined_with_a_reason_and_leaves_the_others_alone():
    scores, target = rows(10, count=1)
    scores["flat"] = np.full(25, 0.1) + np.array([0, 1e-17] * 12 + [0])
    scores["few"] = np.array([0.3] + [np.nan] * 24)
    tests = correlation_tests(scores, target, coefficients=["pearson"], n_resamples=500)
    (alone,) = correlation_tests({"m0": scores["m0"]}, target, coefficients=["pearson"], n_resamples=500)
    assert tests[0] == alone
    assert [test.reason for test in tests[1:]] == [
        "all values of flat are equal",
        "fewer than two pairs of few and the target",
    ]
    assert tests[1].to_dict()["value"] is None
    assert tests[1].to_dict()["pvalue"] is None
    assert all("the target are equal" in test.reason for test in correlation_tests({"m": target}, np.ones(25)))


def test_a_result_says_which_tail_was_asked_about_also_where_there_is_none():
    scores, target = rows(10, systems=5, count=1)
    scores["flat"] = np.ones(5)
    for tail in ("double", "magnitude"):
        found = correlation_tests(scores, target, coefficients=["pearson"], two_sided=tail)
        assert [(test.alternative, test.two_sided) for test in found] == [("two-sided", tail)] * 2
    found = correlation_tests(scores, target, coefficients=["pearson"], alternative="less")
    assert [test.alternative for test in found] == ["less"] * 2


def test_the_family_wise_p_is_the_step_down_maximum_over_the_rows():
    scores, target = rows(11, systems=5, count=3)
    tests = correlation_tests(scores, target, coefficients=["pearson"])
    observed = np.array([abs(test.value) for test in tests])
    null = np.array(
        [
            [abs(correlation(row, target[list(order)]).value) for row in scores.values()]
            for order in permutations(range(5))
        ]
    )
    by_size = np.argsort(-observed)
    expected, p = np.zeros(3), 0.0
    for step, row in enumerate(by_size):
        maxima = null[:, by_size[step:]].max(axis=1)
        p = max(p, (maxima >= observed[row] - 1e-12).mean())
        expected[row] = p
    assert [test.p_family for test in tests] == pytest.approx(expected, abs=1e-12)
    assert all(test.p_family >= test.count_magnitude / test.n_resamples for test in tests)


def test_in_the_family_a_row_without_a_score_keeps_the_order_of_the_systems_it_has():
    scores, target = rows(11, systems=5, count=2)
    scores["m1"][3] = np.nan
    steps = []
    tests = correlation_tests(scores, target, coefficients=["pearson"], progress=lambda *step: steps.append(step))
    null = []
    for order in permutations(range(5)):
        kept = [place for place in order if place != 3]
        values = (
            np.corrcoef(scores["m0"], target[list(order)])[0, 1],
            np.corrcoef(np.delete(scores["m1"], 3), target[kept])[0, 1],
        )
        null.append(np.abs(values))
    largest, observed = np.max(null, axis=1), null[0]  # the first order is the observed one
    first, last = np.argsort(-observed)
    expected = np.zeros(2)
    expected[first] = (largest >= observed[first] - 1e-12).mean()
    expected[last] = max(expected[first], (np.array(null)[:, last] >= observed[last] - 1e-12).mean())
    assert [test.p_family for test in tests] == pytest.approx(expected, abs=1e-12)
    assert steps == [(done, steps[-1][1]) for done in range(len(steps))]
    assert steps[-1][1] == len(steps) - 1 > 0


def test_progress_is_told_before_the_first_block_and_after_each():
    scores, target = rows(12)
    steps = []
    correlation_tests(scores, target, n_resamples=2 * BLOCK, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(done, 6) for done in range(7)]


def test_a_progress_that_raises_stops_the_work():
    scores, target = rows(12)

    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        correlation_tests(scores, target, n_resamples=10**7, progress=stop)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_resamples": 0}, "n_resamples is 0; expected at least 1"),
        ({"alternative": "bigger"}, "alternative is 'bigger'; expected one of two-sided"),
        ({"systems": ["a"]}, "1 names of systems for 25 values"),
    ],
)
def test_impossible_requests_are_refused_in_words(change, message):
    scores, target = rows(13)
    with pytest.raises(ValueError, match=message):
        correlation_tests(scores, target, **change)
    with pytest.raises(ValueError, match=r"\bm .*\(3,\), .*target \(25,\)"):
        correlation_tests({"m": [1, 2, 3]}, target)


BITS = (1 << 64) - 1


def words(state, count):
    """Blackman and Vigna's xoshiro256++ on Python's integers."""
    a, b, c, d = map(int, state)

    def rotated(value, by):
        return (value << by | value >> (64 - by)) & BITS

    for _ in range(count):
        yield (rotated((a + d) & BITS, 23) + a) & BITS
        shifted = (b << 17) & BITS
        c, d = c ^ a, d ^ b
        a, b = a ^ d, b ^ c
        c, d = c ^ shifted, rotated(d, 45)


@pytest.mark.parametrize("n", [2, 5])
def test_orders_are_those_of_random_words(n):
    states = np.random.SeedSequence(3).generate_state(4 * LANES, np.uint64).reshape(4, LANES)
    keys = [[word >> PLACE_BITS for word in words(state, n)] for state in states.T]
    expected = [sorted(range(n), key=key.__getitem__) for key in keys]
    by_halves, by_words = np.zeros((2, n, LANES), dtype=np.uint32)
    fill(states.copy(), False, 0, network(n), by_halves)
    fill_by_words(states.copy(), network(n), by_words)
    assert by_halves.T.tolist() == by_words.T.tolist() == expected


def test_half_a_key_has_the_upper_bits_of_a_word_and_its_place():
    states = np.random.SeedSequence(4).generate_state(4 * LANES, np.uint64).reshape(4, LANES)
    expected = [[(word >> 39 << 7) + place for place, word in enumerate(words(state, 3))] for state in states.T]
    keys = np.zeros((3, LANES), dtype=np.uint32)
    draw_halves(states, keys)
    assert keys.T.tolist() == expected
