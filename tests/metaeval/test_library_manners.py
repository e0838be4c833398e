"""The library behaves as SciPy, pandas, scikit-learn, krippendorff and choix do, where it does what they do."""

import choix
import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from sklearn.metrics import cohen_kappa_score

from metaeval import metrics, stats
from metaeval.stats import agreement
from metaeval.stats.agreement.kappa import NO_COMMON

NAN = float("nan")
FIVE, OTHER, TARGET = [0.1, 0.4, 0.3, 0.8, 0.9], [0.5, 0.1, 0.2, 0.9, 0.7], [1.0, 3.0, 2.0, 5.0, 4.0]
SCORES = np.random.default_rng(5).normal(size=(6, 8))
OTHERS, JUDGED = SCORES + np.random.default_rng(6).normal(size=(6, 8)), SCORES[::-1]
RATINGS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
WINS = [[0, 5, 7, 3], [2, 0, 4, 6], [1, 3, 0, 5], [2, 1, 4, 0]]

TESTS = {
    "correlation_tests": lambda **seed: stats.correlation_tests({"m": FIVE}, TARGET, n_resamples=50, **seed)[0],
    "paired_correlation_test": lambda **seed: stats.paired_correlation_test(
        [*FIVE, *OTHER], [*OTHER, *TARGET], [*TARGET, *FIVE], n_resamples=50, **seed
    ),
    "permutation_comparison": lambda **seed: stats.permutation_comparison(
        SCORES, OTHERS, JUDGED, n_resamples=50, **seed
    ),
    "bootstrap_comparison": lambda **seed: stats.bootstrap_comparison(SCORES, OTHERS, JUDGED, n_resamples=50, **seed),
    "tie_calibrated_comparison": lambda **seed: stats.tie_calibrated_comparison(
        SCORES, OTHERS, JUDGED, n_resamples=50, **seed
    ),
}
SEEDLESS = {
    "wilcoxon": lambda: stats.wilcoxon(FIVE, OTHER),
    "williams_test": lambda: stats.williams_test(FIVE, OTHER, TARGET),
    "blinding_index": lambda: stats.blinding_index(3, 1),
    "intraclass_correlation": lambda: agreement.intraclass_correlation(SCORES),
}
RANDOM = {
    **TESTS,
    "correlation_intervals": lambda **seed: stats.correlation_intervals({"m": FIVE}, TARGET, n_resamples=50, **seed),
    "soft_pairwise_accuracy": lambda **seed: stats.soft_pairwise_accuracy(SCORES, OTHERS, n_resamples=50, **seed),
    "rank_by_outcomes": lambda **seed: stats.rank_by_outcomes(WINS, "bradley_terry", n_resamples=50, **seed),
    "random_soft_labels": lambda **seed: metrics.random_soft_labels(3, 4, "multiclass", **seed).tolist(),
    "resampled_humans": lambda **seed: metrics.resampled_humans([[9, 5]], size=5, **seed)[0].shares.tolist(),
    "krippendorff_alpha": lambda **seed: agreement.krippendorff_alpha(
        RATINGS, bootstrap=agreement.Bootstrap(n_resamples=50, **seed)
    ),
}


@pytest.mark.parametrize("call", [*TESTS.values(), *SEEDLESS.values()], ids=[*TESTS, *SEEDLESS])
def test_the_result_of_a_test_unpacks_into_its_statistic_and_its_pvalue(call):
    found = call()
    statistic, pvalue = found
    assert (statistic, pvalue) == (found.statistic, found.pvalue)
    assert 0 <= pvalue <= 1


def test_a_result_unpacks_as_that_of_scipy():
    assert tuple(stats.wilcoxon(FIVE, OTHER)) == tuple(scipy_stats.wilcoxon(FIVE, OTHER))


@pytest.mark.parametrize("call", RANDOM.values(), ids=RANDOM)
def test_rng_and_seed_are_one_thing(call):
    assert repr(call(rng=7)) == repr(call(seed=7))
    assert repr(call(rng=np.random.default_rng(7))) == repr(call(seed=np.random.default_rng(7)))
    assert repr(call(rng=np.random.SeedSequence(7))) == repr(call(rng=7))
    assert repr(call()) == repr(call(seed=0))
    with pytest.raises(ValueError, match=r"\bseed .*rng "):
        call(seed=7, rng=7)


def test_a_generator_is_drawn_from_once():
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    TESTS["permutation_comparison"](rng=rng)
    other.integers(2**63)
    assert rng.random() == other.random()


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_takes_the_array_that_krippendorff_takes(distance):
    expected = krippendorff.alpha(reliability_data=RATINGS, level_of_measurement=distance)
    assert agreement.krippendorff_alpha(RATINGS, distance).value == pytest.approx(expected, abs=1e-12)
    frame = pd.DataFrame(RATINGS, index=list("abcd"))
    assert agreement.krippendorff_alpha(frame, distance).value == pytest.approx(expected, abs=1e-12)
    assert agreement.krippendorff_alpha(np.array(RATINGS), distance).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weighting", ["none", "linear", "quadratic"])
def test_kappa_takes_the_labels_that_scikit_learn_takes(weighting):
    rng = np.random.default_rng(1)
    one = rng.integers(1, 6, 60)
    other = np.where(rng.random(60) < 0.5, one, rng.integers(1, 6, 60))
    weights = None if weighting == "none" else weighting
    for first, second in ((one, other), (one.tolist(), other.tolist()), (pd.Series(one), pd.Series(other))):
        found = agreement.cohen_kappa(first, second, labels=[1, 2, 3, 4, 5], weighting=weighting)
        assert found.value == pytest.approx(cohen_kappa_score(one, other, weights=weights), abs=1e-12)


def test_an_item_that_only_one_of_two_labelled_is_left_out_and_counted():
    found = agreement.cohen_kappa(["x", "x", "y", "y", None], ["x", "y", "y", "y", "x"])
    assert (found.value, found.n_items, found.excluded) == (0.5, 4, 1)
    assert agreement.cohen_kappa([None], ["x"]).reason == NO_COMMON


def test_strengths_take_a_matrix_of_wins_or_the_pairs_that_choix_takes():
    pairs = [(i, j) for i, row in enumerate(WINS) for j, times in enumerate(row) for _ in range(times)]
    expected = choix.ilsr_pairwise(4, pairs)
    assert stats.strengths(WINS).values == pytest.approx(expected - expected.mean(), abs=1e-6)
    assert stats.strengths(pairs).values == pytest.approx(stats.strengths(WINS).values, abs=1e-12)
    frame = pd.DataFrame(WINS, index=list("abcd"), columns=list("abcd"))
    assert stats.strengths(frame).names == ("a", "b", "c", "d")
    with pytest.raises(ValueError, match="expected the systems in one order in both"):
        stats.strengths(pd.DataFrame(WINS, index=list("abcd"), columns=list("badc")))


P = pd.DataFrame([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]], index=["t1", "t2"], columns=["yes", "no", "maybe"])
Q = pd.DataFrame([[0.5, 0.1, 0.4], [0.3, 0.6, 0.1]], index=["t1", "t2"], columns=["yes", "no", "maybe"])
OF_PAIRS = {
    **{entry.name: getattr(metrics, entry.name) for entry in metrics.available("multiclass")},
    "class_table": metrics.class_table,
    "compute": metrics.compute,
    "per_item": lambda P, Q, task: metrics.per_item(P, Q, task, "soft_accuracy").tolist(),
    "reliability": lambda P, Q, task: metrics.reliability(P, Q),
    "entropy_calibration_errors": lambda P, Q, task: metrics.entropy_calibration_errors(P, Q).tolist(),
    "label_calibration_errors": lambda P, Q, task: metrics.label_calibration_errors(P, Q).tolist(),
}


@pytest.mark.parametrize("metric", OF_PAIRS.values(), ids=OF_PAIRS)
def test_frames_are_matched_by_the_names_of_their_rows_and_columns(metric):
    expected = repr(metric(P, Q, task="multiclass"))
    assert repr(metric(P, Q[["maybe", "yes", "no"]], task="multiclass")) == expected
    assert repr(metric(P, Q.iloc[::-1], task="multiclass")) == expected
    with pytest.raises(ValueError, match=r"column 'no' .*P .*Q"):
        metric(P, Q.rename(columns={"no": "never"}), task="multiclass")
    with pytest.raises(ValueError, match=r"row 't2' .*P .*Q"):
        metric(P, Q.rename(index={"t2": "t3"}), task="multiclass")


def test_a_frame_and_an_array_are_matched_by_position():
    assert metrics.soft_accuracy(P, Q.to_numpy()) == metrics.soft_accuracy(P, Q)


def test_every_system_of_a_table_is_matched_with_the_people():
    table = metrics.compute(
        P, {"same": P.iloc[::-1], "turned": P[["no", "maybe", "yes"]]}, "multiclass", ["soft_accuracy"]
    )
    assert table.of("soft_accuracy").tolist() == pytest.approx([1, 1])


def test_series_and_frames_of_statistics_are_matched_too():
    x, y = pd.Series(FIVE, index=list("abcde")), pd.Series(TARGET, index=list("abcde"))
    turned = y.iloc[::-1]
    assert stats.correlation(x, turned) == stats.correlation(x, y)
    assert tuple(stats.wilcoxon(x, turned)) == tuple(stats.wilcoxon(FIVE, TARGET))
    assert stats.correlation_tests({"m": x}, turned) == stats.correlation_tests({"m": FIVE[::-1]}, TARGET[::-1])
    one, other, judged = (pd.DataFrame(values, index=list("abcdef")) for values in (SCORES, OTHERS, JUDGED))
    found = stats.permutation_comparison(one, other.iloc[::-1], judged.iloc[:, ::-1])
    assert found == stats.permutation_comparison(SCORES, OTHERS, JUDGED)
    with pytest.raises(ValueError, match=r"row 'f' .*first .*second"):
        stats.permutation_comparison(one, other.rename(index={"f": "g"}), judged)
