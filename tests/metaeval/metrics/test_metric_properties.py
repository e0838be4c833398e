"""What must hold for every pair of matrices, not only for the golden ones."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import accuracy_score, f1_score

from metaeval import metrics
from metaeval.metrics import compute

ROUNDING = 1e-9
BY_RANK = {"accuracy", "macro_f1", "ranking_calibration_score", "expected_calibration_error", "classwise_ece"}
SHARES = st.floats(0, 1, width=32)


@st.composite
def multilabel_pairs(draw, min_rows=1) -> tuple[np.ndarray, np.ndarray]:
    shape = draw(st.tuples(st.integers(min_rows, 12), st.integers(1, 6)))
    matrices = hnp.arrays(np.float64, shape, elements=SHARES)
    return draw(matrices), draw(matrices)


@st.composite
def multiclass_pairs(draw, min_rows=1) -> tuple[np.ndarray, np.ndarray]:
    shape = draw(st.tuples(st.integers(min_rows, 12), st.integers(2, 6)))
    weights = st.one_of(st.just(0.0), st.floats(0.001, 1))
    matrices = []
    for _ in range(2):
        raw = draw(hnp.arrays(np.float64, shape, elements=weights))
        raw[raw.sum(axis=1) == 0] = 1.0
        matrices.append(raw / raw.sum(axis=1, keepdims=True))
    return matrices[0], matrices[1]


def every_value(P, Q, task):
    return compute(P, Q, task, [entry.name for entry in metrics.available(task)])["Q"]


def assert_in_range(values):
    for name, value in values.items():
        low, high = metrics.get(name).range
        assert (math.isnan(value) and value.reason) or low - ROUNDING <= value <= high + ROUNDING, name


@given(multilabel_pairs())
def test_multilabel_metrics_stay_in_their_range(pair):
    assert_in_range(every_value(pair[0], pair[1], "multilabel"))


@given(multiclass_pairs())
def test_multiclass_metrics_stay_in_their_range(pair):
    assert_in_range(every_value(pair[0], pair[1], "multiclass"))


@pytest.mark.parametrize("task", ["ordinal", "multilabel"])
def test_the_best_and_the_worst_prediction_stay_in_the_range_of_a_metric(task):
    P = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert_in_range(every_value(P, P, task))
    assert_in_range(every_value(P, P[::-1], task))


@pytest.mark.parametrize("task", ["ordinal", "multilabel"])
def test_a_metric_says_in_which_direction_it_is_better(task):
    P = np.array([[0.9, 0.06, 0.04], [0.7, 0.2, 0.1], [0.4, 0.35, 0.25]])
    same, opposite = every_value(P, P, task), every_value(P, P[::-1, ::-1], task)
    for name, value in same.items():
        better, worse = (value, opposite[name])[:: 1 if metrics.get(name).orientation == "higher" else -1]
        assert better > worse, name


def test_rounding_brings_no_item_above_the_highest_agreement():
    P = np.random.default_rng(6).random((1000, 1))
    assert metrics.per_item(P, np.nextafter(P, 1), "multilabel", "po_jsd").max() == 1.0


def test_rounding_brings_no_correlation_beyond_one():
    rng = np.random.default_rng(7)
    for _ in range(100):
        r = metrics.entropy_correlation(rng.random((2, 1)), rng.random((2, 1)), "multilabel")
        assert abs(r) <= 1.0
        assert abs(r) == pytest.approx(1.0, abs=1e-12)  # two points lie on a line


SYMMETRIC = {
    "accuracy": "multiclass",
    "macro_f1": "multiclass",
    "soft_accuracy": "multiclass",
    "soft_macro_f1": "multiclass",
    "po_jsd": "multiclass",
    "entropy_correlation": "multiclass",
    "entropy_similarity": "multiclass",
    "js_distance": "multiclass",
    "tvd": "multiclass",
    "ranking_calibration_score": "multiclass",
    "entropy_calibration_error": "multiclass",
    "manhattan_distance": "multiclass",
    "wasserstein_distance": "ordinal",
}


@given(multiclass_pairs())
def test_metrics_that_have_no_direction_are_symmetric(pair):
    P, Q = pair
    for name, task in SYMMETRIC.items():
        there, back = (getattr(metrics, name)(*sides, task) for sides in ((P, Q), (Q, P)))
        assert there == pytest.approx(back, abs=1e-12, nan_ok=True), name


@given(multiclass_pairs())
def test_soft_accuracy_never_exceeds_po_jsd(pair):
    assert metrics.soft_accuracy(*pair) <= metrics.po_jsd(pair[0], pair[1], "multiclass") + ROUNDING


@given(multiclass_pairs())
def test_soft_micro_f1_of_distributions_is_soft_accuracy(pair):
    assert metrics.soft_micro_f1(pair[0], pair[1], "multiclass") == pytest.approx(
        metrics.soft_accuracy(*pair), abs=1e-12
    )


@given(multilabel_pairs())
def test_without_variation_soft_multilabel_metrics_equal_the_hard_ones(pair):
    P, Q = (np.round(matrix) for matrix in pair)
    values = every_value(P, Q, "multilabel")
    assert values["soft_micro_f1"] == pytest.approx(values["micro_f1"], abs=1e-12)
    assert values["soft_macro_f1"] == pytest.approx(values["macro_f1"], abs=1e-12)


@given(multiclass_pairs())
def test_without_variation_soft_multiclass_metrics_equal_the_hard_ones(pair):
    P, Q = (np.eye(matrix.shape[1])[matrix.argmax(axis=1)] for matrix in pair)
    values = every_value(P, Q, "multiclass")
    assert values["soft_accuracy"] == pytest.approx(values["accuracy"], abs=1e-12)
    assert values["soft_macro_f1"] == pytest.approx(values["macro_f1"], abs=1e-12)


@given(multilabel_pairs(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_labels_changes_nothing(pair, random):
    P, Q = pair
    rows, labels = list(range(P.shape[0])), list(range(P.shape[1]))
    random.shuffle(rows)
    random.shuffle(labels)
    before = every_value(P, Q, "multilabel")
    after = every_value(P[np.ix_(rows, labels)], Q[np.ix_(rows, labels)], "multilabel")
    for name, value in before.items():
        assert after[name] == pytest.approx(value, abs=1e-6, nan_ok=True), name


@given(multiclass_pairs(min_rows=2), st.randoms(use_true_random=False))
def test_the_order_of_instances_and_classes_changes_nothing_but_the_ties_of_argmax(pair, random):
    P, Q = pair
    rows, classes = list(range(P.shape[0])), list(range(P.shape[1]))
    random.shuffle(rows)
    random.shuffle(classes)
    before = every_value(P, Q, "multiclass")
    after = every_value(P[np.ix_(rows, classes)], Q[np.ix_(rows, classes)], "multiclass")
    has_ties = any((np.diff(np.sort(matrix, axis=1)) == 0).any() for matrix in pair)
    for name, value in before.items():
        if name in BY_RANK and has_ties:
            continue
        assert after[name] == pytest.approx(value, abs=1e-6, nan_ok=True), name


def test_hard_metrics_equal_scikit_learn():
    rng = np.random.default_rng(20)
    P, Q = rng.dirichlet(np.ones(5), 400), rng.dirichlet(np.ones(5), 400)
    values = every_value(P, Q, "multiclass")
    truth, predicted = P.argmax(axis=1), Q.argmax(axis=1)
    assert values["accuracy"] == pytest.approx(accuracy_score(truth, predicted), abs=1e-12)
    assert values["macro_f1"] == pytest.approx(f1_score(truth, predicted, average="macro"), abs=1e-12)

    P, Q = rng.random((400, 7)), rng.random((400, 7))
    values = every_value(P, Q, "multilabel")
    truth, predicted = P > 0.5, Q > 0.5
    assert values["micro_f1"] == pytest.approx(f1_score(truth, predicted, average="micro"), abs=1e-12)
    assert values["macro_f1"] == pytest.approx(f1_score(truth, predicted, average="macro"), abs=1e-12)


def test_many_blocks_of_rows_give_what_one_formula_over_all_rows_gives():
    rng = np.random.default_rng(21)
    P, Q = rng.random((20_000, 33)), rng.random((20_000, 33))  # more than twenty blocks
    values = every_value(P, Q, "multilabel")
    overlap, mass = np.minimum(P, Q), P + Q
    assert values["soft_micro_f1"] == pytest.approx(2 * overlap.sum() / mass.sum(), abs=1e-12)
    assert values["soft_macro_f1"] == pytest.approx((2 * overlap.sum(0) / mass.sum(0)).mean(), abs=1e-12)
    entropies = [-(x * np.log2(x) + (1 - x) * np.log2(1 - x)) for x in (P, Q)]
    r = [np.corrcoef(entropies[0][:, k], entropies[1][:, k])[0, 1] for k in range(33)]
    assert values["entropy_correlation"] == pytest.approx(np.mean(r), abs=1e-12)
