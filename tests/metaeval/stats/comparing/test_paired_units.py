"""Two metrics compared over systems that share methods: whole methods are exchanged, or left out."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats as scipy_stats

from metaeval.stats import PairedUnits, paired_correlation_test, within_correlation

MODELS, METHODS = ("A", "B"), tuple("rstuvwxyz")
SYSTEMS = list(product(MODELS, METHODS))
COEFFICIENTS = ["pearson", "spearman", "kendall"]


def study(seed, better=0.5):
    rng = np.random.default_rng(seed)
    target = np.tile(rng.normal(size=9), 2) + rng.normal(size=18) / 2
    return target + better * rng.normal(size=18), target + rng.normal(size=18), target


def within(x, y, kept, coefficient):
    models = np.array([model for model, _ in SYSTEMS])
    return within_correlation(x[kept], y[kept], models[kept], coefficient).value


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_p_and_interval_are_those_of_leaving_out_each_method(coefficient):
    first, second, target = study(1)
    found = paired_correlation_test(
        first, second, target, units=SYSTEMS, coefficient=coefficient, n_resamples=0, confidence_level=0.9
    )
    methods = np.array([method for _, method in SYSTEMS])
    differences = [
        np.arctanh(within(first, target, kept, coefficient)) - np.arctanh(within(second, target, kept, coefficient))
        for kept in (methods != without for without in (None, *METHODS))
    ]
    error = 8 / 3 * np.std(differences[1:], ddof=1)
    assert found.t == pytest.approx(differences[0] / error, abs=1e-9)
    assert found.pvalue == pytest.approx(2 * scipy_stats.t.sf(abs(found.t), 8), abs=1e-12)
    assert (found.units, found.left_out, found.tested) == (9, "methods", "within models")
    assert found.low < found.difference < found.high
    assert (found.pvalue < 0.1) == (not found.low <= 0 <= found.high)
    assert math.isnan(found.p_exchange)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_exchanging_whole_methods_counts_what_listing_every_exchange_counts(coefficient):
    first, second, target = study(2)
    first, target = np.round(first, 1), np.round(target, 1)  # ties
    found = paired_correlation_test(first, second, target, units=SYSTEMS, coefficient=coefficient, n_resamples=512)
    models = np.array([model for model, _ in SYSTEMS])
    scaled = []
    for row in (first, second):
        centred = np.concatenate([row[models == model] - row[models == model].mean() for model in MODELS])
        scaled.append(np.round(centred / centred.std(), 12))
    everyone = np.ones(18, dtype=bool)
    null = []
    for tosses in product([False, True], repeat=9):
        swap = np.tile(tosses, 2)
        one, other = np.where(swap, scaled[1], scaled[0]), np.where(swap, scaled[0], scaled[1])
        null.append(within(one, target, everyone, coefficient) - within(other, target, everyone, coefficient))
    greater, less = ((side * (np.array(null) - found.difference) >= -1e-9).mean() for side in (1, -1))
    assert (found.exact, found.exchanges, found.p_exchange_error) == (True, 512, 0.0)
    assert found.p_exchange == pytest.approx(min(1, 2 * min(greater, less)), abs=1e-12)


def test_sampled_exchanges_agree_with_all_of_them_within_their_error():
    rows = study(3)
    everything, some = (paired_correlation_test(*rows, units=SYSTEMS, n_resamples=count) for count in (512, 400))
    assert not some.exact
    assert abs(some.p_exchange - everything.p_exchange) < 4 * some.p_exchange_error


def test_the_plan_shares_its_work_and_the_seed_decides():
    paired = PairedUnits(*study(4), units=SYSTEMS)
    plans = [paired.permutation_plan(n_resamples=500, seed=seed) for seed in (1, 1, 2)]
    blocks = [plans[0].block(number) for number in (1, 0)]
    assert (plans[1].run() == plans[0].merged(blocks[::-1])).all()
    assert (plans[1].run() != plans[2].run()).any()


def test_the_order_of_the_metrics_only_turns_the_sign():
    first, second, target = study(5)
    there, back = (paired_correlation_test(*pair, target, units=SYSTEMS) for pair in ((first, second), (second, first)))
    assert (there.difference, there.t, there.low) == pytest.approx((-back.difference, -back.t, -back.high))
    assert (there.pvalue, there.p_exchange) == pytest.approx((back.pvalue, back.p_exchange))


@pytest.mark.parametrize(
    ("exchangeable", "units", "statistic"),
    [("systems", 18, "overall"), ("within model", 18, "within models"), ("methods jointly", 9, "within models")],
)
def test_the_unit_is_what_is_exchangeable(exchangeable, units, statistic):
    found = paired_correlation_test(*study(6), units=SYSTEMS, exchangeable=exchangeable, n_resamples=100)
    assert (found.units, found.tested, found.exchangeable) == (units, statistic, exchangeable)


def test_what_is_missing_in_one_is_left_out_of_both_and_listed():
    first, second, target = study(7)
    first[2], second[11] = np.nan, np.nan
    found = paired_correlation_test(first, second, target, units=SYSTEMS, n_resamples=0)
    assert (found.n, found.excluded) == (16, (2, 11))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda first, second, target: (first, first, target), "the two metrics say the same"),
        (lambda first, second, target: (np.zeros(18), second, target), "all values of first are equal"),
        (lambda first, second, target: (first, target * 2, target), "no spread to go by"),
    ],
)
def test_where_nothing_can_be_said_the_reason_is(change, reason):
    found = paired_correlation_test(*change(*study(8)), units=SYSTEMS, n_resamples=0)
    assert reason in found.reason
    assert found.to_dict()["pvalue"] is None


def test_few_methods_are_too_few_for_the_jackknife_and_can_still_be_exchanged():
    first, second, target = (row[:8] for row in study(9))
    found = paired_correlation_test(first, second, target, units=list(product("AB", "wxyz")), n_resamples=100)
    assert (found.reason[:9], found.reason[-2:]) == ("4 methods", " 6")
    assert (found.exact, found.exchanges) == (True, 16)
    assert found.p_exchange >= 2 / 16


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ValueError, match="expected one \\(n,\\)"):
        paired_correlation_test([1, 2], [1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="n_resamples is -1"):
        paired_correlation_test(*study(10), n_resamples=-1)
    with pytest.raises(ValueError, match="confidence_level is 1"):
        paired_correlation_test(*study(10), confidence_level=1)
