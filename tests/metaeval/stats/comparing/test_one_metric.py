"""The interval of one metric's correlation, against plain loops over SciPy's coefficients."""

import math
import warnings

import numpy as np
import pytest
import scipy.stats

from metaeval.stats import bootstrap_correlation
from metaeval.stats.comparing.paired import ONE_SYSTEM

SCIPY = {
    "pearson": lambda x, y: scipy.stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: scipy.stats.spearmanr(x, y)[0],
    "kendall": lambda x, y: scipy.stats.kendalltau(x, y)[0],
}


def signs(x):
    return np.sign(x[:, None] - x).ravel()


QUICK = {
    "pearson": lambda x, y: np.corrcoef(x, y)[0, 1],
    "kendall": lambda x, y: signs(x) @ signs(y) / np.sqrt((signs(x) ** 2).sum() * (signs(y) ** 2).sum()),
}
"""The same by their formulas, for many draws: SciPy adds a p-value to each, which takes ten times as long."""


def plain(x, y, level, coefficient, by=SCIPY):
    """A correlation of matrices (systems, inputs) by SciPy alone."""
    of = by[coefficient]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant inputs
        if level == "system":
            return of(x.mean(axis=1), y.mean(axis=1))
        if level == "global":
            return of(x.ravel(), y.ravel())
        return np.nanmean([of(x[:, j], y[:, j]) for j in range(x.shape[1])])


@pytest.fixture
def judged():
    rng = np.random.default_rng(4)
    judgements = rng.normal(size=(12, 1)) + rng.normal(size=(12, 8))
    return judgements + rng.normal(size=(12, 8)), judgements


@pytest.mark.parametrize("method", ["systems", "inputs", "both"])
@pytest.mark.parametrize("level", ["system", "input", "global"])
@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_value_and_limits_are_those_of_a_plain_loop(judged, method, level, coefficient):
    metric, judgements = judged
    found = bootstrap_correlation(
        metric, judgements, method=method, correlation_level=level, coefficient=coefficient, n_resamples=4000, seed=1
    )
    assert found.value == pytest.approx(plain(metric, judgements, level, coefficient), abs=1e-12)
    rng, drawn = np.random.default_rng(2), []
    for _ in range(400):
        rows = rng.integers(0, 12, 12) if method != "inputs" else np.arange(12)
        columns = rng.integers(0, 8, 8) if method != "systems" else np.arange(8)
        cells = np.ix_(rows, columns)
        drawn.append(plain(metric[cells], judgements[cells], level, coefficient, QUICK))
    assert drawn[-1] == pytest.approx(plain(metric[cells], judgements[cells], level, coefficient), abs=1e-12)
    spread = np.std(drawn)
    low, middle, high = np.quantile(drawn, [0.025, 0.5, 0.975])
    assert found.interval.standard_error == pytest.approx(spread, rel=0.2)
    assert found.interval.low == pytest.approx(low, abs=0.6 * spread)
    assert found.interval.high == pytest.approx(high, abs=0.4 * spread)
    assert found.interval.low < middle < found.interval.high


def test_missing_cells_are_left_out_and_counted(judged):
    metric, judgements = judged[0].copy(), judged[1]
    metric[0, :3] = np.nan
    found = bootstrap_correlation(metric, judgements, n_resamples=50)
    assert found.left_out == 3
    assert found.value == pytest.approx(SCIPY["pearson"](np.nanmean(metric, axis=1), judgements.mean(axis=1)))


def test_the_same_seed_gives_the_same_interval_and_another_one_another(judged):
    one, two, other = (bootstrap_correlation(*judged, method="both", n_resamples=300, seed=s) for s in (1, 1, 2))
    assert one == two
    assert one.interval.low != other.interval.low


def test_where_there_is_no_correlation_there_is_no_interval_and_the_reason_speaks_of_one_metric(judged):
    constant = bootstrap_correlation(np.ones((12, 8)), judged[1], n_resamples=50)
    assert math.isnan(constant.value)
    assert constant.reason == constant.interval.reason == "all values of the metric are equal or missing"
    alone = bootstrap_correlation([[1.0, 2.0]], [[1.0, 3.0]], n_resamples=50)
    assert alone.reason == ONE_SYSTEM
    apart = bootstrap_correlation(
        [[1, np.nan], [np.nan, 2]], [[np.nan, 1], [2, np.nan]], correlation_level="input", n_resamples=50
    )
    assert apart.reason == "the input-level correlation is undefined: nowhere two systems that differ in both"


def test_other_words_and_shapes_are_refused(judged):
    with pytest.raises(ValueError, match=r"systems, .*both"):
        bootstrap_correlation(*judged, method="cells")
    with pytest.raises(ValueError, match="expected one shape"):
        bootstrap_correlation(judged[0], judged[1][:, :3])
