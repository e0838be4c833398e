"""The compiled pass gives the same as the formulas written plainly in NumPy."""

import math
import threading
from contextlib import nullcontext
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from metaeval import metrics
from metaeval.metrics import compute, pair, per_item
from metaeval.rounding import ROUNDING

from .test_metric_properties import multiclass_pairs, multilabel_pairs


def plogp(x):
    return np.where(x > 0, x * np.log(np.where(x > 0, x, 1)), 0.0)


def entropies(x):
    return -plogp(x).sum(axis=-1)


def two_sided(x):
    return np.stack([x, 1 - x], axis=-1)


def jsd(p, q):
    return np.maximum(entropies((p + q) / 2) - (entropies(p) + entropies(q)) / 2, 0)


def pearson(x, y):
    return np.nan if np.ptp(x) <= ROUNDING or np.ptp(y) <= ROUNDING else np.corrcoef(x, y)[0, 1]


def f1(p, q):
    both, mass = 2 * np.minimum(p, q).sum(axis=0), (p + q).sum(axis=0)
    return np.where(mass > 0, both / np.where(mass > 0, mass, 1), 1.0)


def one_hot(x):
    return np.eye(x.shape[1])[x.argmax(axis=1)]


def binned(confidence, hits, bins=10):
    gap = 0.0
    for low, high in zip(np.linspace(0, 1, bins + 1)[:-1], np.linspace(0, 1, bins + 1)[1:], strict=True):
        inside = (low < confidence) & (confidence <= high)
        if inside.any():
            gap += inside.sum() * abs(hits[inside].mean() - confidence[inside].mean())
    return gap / max(1, (confidence > 0).sum())


def cross_entropies(P, Q):
    covered = ((Q > 0) | (P == 0)).all(axis=1)
    return np.where(covered, -(P * np.log(np.where(Q > 0, Q, 1))).sum(axis=1), np.nan)


MULTICLASS = {
    "accuracy": lambda P, Q: (P.argmax(1) == Q.argmax(1)).mean(),
    "macro_f1": lambda P, Q: f1(one_hot(P), one_hot(Q)).mean(),
    "soft_accuracy": lambda P, Q: np.minimum(P, Q).sum(axis=1).mean(),
    "soft_micro_f1": lambda P, Q: 2 * np.minimum(P, Q).sum() / (P + Q).sum(),
    "soft_macro_f1": lambda P, Q: f1(P, Q).mean(),
    "po_jsd": lambda P, Q: 1 - jsd(P, Q).mean() / math.log(2),
    "entropy_correlation": lambda P, Q: pearson(*(entropies(x) / math.log(P.shape[1]) for x in (P, Q))),
    "entropy_similarity": lambda P, Q: (
        entropies(P) @ entropies(Q) / np.sqrt((entropies(P) @ entropies(P)) * (entropies(Q) @ entropies(Q)) or np.nan)
    ),
    "js_distance": lambda P, Q: np.nan_to_num(jensenshannon(P, Q, axis=1)).mean(),  # NaN: its rounding went below 0
    "cross_entropy": lambda P, Q: cross_entropies(P, Q).mean(),
    "kl_divergence": lambda P, Q: (cross_entropies(P, Q) - entropies(P)).mean(),
    "tvd": lambda P, Q: np.abs(P - Q).sum(axis=1).mean() / 2,
    "distribution_calibration_error": lambda P, Q: np.abs(P - Q).sum(axis=1).mean() / 2,
    "entropy_calibration_error": lambda P, Q: np.abs(entropies(Q) - entropies(P)).mean(),
    "ranking_calibration_score": lambda P, Q: np.mean(
        [sorted(range(len(p)), key=p.item) == sorted(range(len(q)), key=q.item) for p, q in zip(P, Q, strict=True)]
    ),
    "expected_calibration_error": lambda P, Q: binned(Q.max(axis=1), P.argmax(1) == Q.argmax(1)),
    "classwise_ece": lambda P, Q: np.mean([binned(Q[:, k], P.argmax(1) == k) for k in range(P.shape[1])]),
    "manhattan_distance": lambda P, Q: np.abs(P - Q).sum(axis=1).mean(),
}
ORDINAL = {
    "wasserstein_distance": lambda P, Q: np.mean(
        [wasserstein_distance(range(len(p)), range(len(q)), p, q) for p, q in zip(P, Q, strict=True)]
    )
}
MULTILABEL = {
    "micro_f1": lambda P, Q: 2 * ((P > 0.5) & (Q > 0.5)).sum() / ((P > 0.5).sum() + (Q > 0.5).sum() or np.nan),
    "macro_f1": lambda P, Q: f1((P > 0.5) * 1.0, (Q > 0.5) * 1.0).mean(),
    "soft_micro_f1": lambda P, Q: 2 * np.minimum(P, Q).sum() / ((P + Q).sum() or np.nan),
    "soft_macro_f1": lambda P, Q: f1(P, Q).mean(),
    "po_jsd": lambda P, Q: 1 - jsd(two_sided(P), two_sided(Q)).mean() / math.log(2),
    "entropy_correlation": lambda P, Q: np.mean(
        [pearson(*(entropies(two_sided(x)) / math.log(2) for x in (p, q))) for p, q in zip(P.T, Q.T, strict=True)]
    ),
    "entropy_similarity": lambda P, Q: np.mean(
        [
            x @ y / np.sqrt((x @ x) * (y @ y) or np.nan)
            for x, y in zip(entropies(two_sided(P)).T, entropies(two_sided(Q)).T, strict=True)
        ]
    ),
    "tvd": lambda P, Q: np.abs(P - Q).mean(),
    "manhattan_distance": lambda P, Q: 2 * np.abs(P - Q).mean(),
}
PLAIN = {"multiclass": MULTICLASS, "ordinal": MULTICLASS | ORDINAL, "multilabel": MULTILABEL}
# The root magnifies the plain formula's own rounding where P and Q nearly agree, and so does a correlation of
# entropies that hardly vary.
TOLERANCES = {"js_distance": 1e-7, "entropy_correlation": 1e-7, "entropy_similarity": 1e-7}
ZERO_OVER_ZERO = {"micro_f1", "soft_micro_f1"}


def assert_plain(P, Q, task, tolerances):
    for name, value in compute(P, Q, task, PLAIN[task])["Q"].items():
        with np.errstate(all="ignore"):
            expected = PLAIN[task][name](P, Q)
        if name in ZERO_OVER_ZERO and np.isnan(expected):
            expected = 1.0
        assert value == pytest.approx(expected, abs=tolerances.get(name, 1e-12), nan_ok=True), name


@pytest.fixture
def small_blocks(monkeypatch):
    """Many blocks even of few rows, so that merging them is put to the test."""
    monkeypatch.setattr(pair, "BLOCK_CELLS", 8)


@pytest.mark.parametrize("task", ["multiclass", "ordinal", "multilabel"])
@pytest.mark.parametrize("labels", [2, 5, 33])
@pytest.mark.usefixtures("small_blocks")
def test_random_matrices_give_what_the_formulas_give(task, labels):
    rng = np.random.default_rng(labels)
    P, Q = rng.random((500, labels)), rng.random((500, labels))
    P[rng.random(P.shape) < 0.2] = 0.0
    P[:, 0] += 1e-3
    if task != "multilabel":
        P, Q = (x / x.sum(axis=1, keepdims=True) for x in (P, Q))
    assert_plain(P.clip(0, 1), Q, task, {"js_distance": 1e-12})


@given(multiclass_pairs())
@settings(deadline=None)
def test_any_pair_of_distributions_gives_what_the_formulas_give(pair):
    assert_plain(pair[0], pair[1], "ordinal", TOLERANCES)


@given(multilabel_pairs())
@settings(deadline=None)
def test_any_multilabel_pair_gives_what_the_formulas_give(pair):
    assert_plain(pair[0], pair[1], "multilabel", TOLERANCES)


@given(multiclass_pairs(), multilabel_pairs())
@settings(deadline=None)
def test_a_metric_that_works_per_item_is_the_mean_of_its_items(distributions, shares):
    for task, (P, Q) in {"ordinal": distributions, "multilabel": shares}.items():
        for entry in metrics.available(task):
            if entry.works_per_item:
                items = per_item(P, Q, task, entry.name)
                whole = entry.function(P, Q, task)
                assert items.mean() == pytest.approx(whole, abs=1e-12, nan_ok=True), entry.name
            else:
                with pytest.raises(metrics.WrongTaskError, match="is not a mean over instances"):
                    per_item(P, Q, task, entry.name)


def test_a_plain_item_metric_without_its_own_loop_is_put_each_row_by_itself():
    entry = metrics.get("ranking_calibration_score")
    bare = metrics.Metric(**{field: getattr(entry, field) for field in entry.__dataclass_fields__} | {"items": None})
    P, Q = np.array([[0.2, 0.8], [0.7, 0.3], [0.4, 0.6]]), np.array([[0.6, 0.4], [0.6, 0.4], [0.3, 0.7]])
    pair = metrics.Pair(P, Q, "multiclass")
    assert bare.per_item(pair).tolist() == entry.per_item(pair).tolist() == [0.0, 1.0, 1.0]


def test_a_metric_works_per_item_if_it_is_the_mean_of_what_it_says_of_each_row_alone():
    human = np.array([[0.9, 0.06, 0.04], [0.7, 0.2, 0.1], [0.4, 0.35, 0.25], [0.1, 0.3, 0.6]])
    predicted = np.array([[0.3, 0.6, 0.1], [0.8, 0.1, 0.1], [0.2, 0.2, 0.6], [0.15, 0.25, 0.6]])
    for entry in metrics.available():
        is_mean = []
        evaluate = entry.function
        for task in entry.tasks:
            P, Q = (x**2 if task == "multilabel" else x for x in (human, predicted))
            alone = [evaluate(P[i : i + 1], Q[i : i + 1], task) for i in range(len(P))]
            is_mean.append(evaluate(P, Q, task) == pytest.approx(np.mean(alone), abs=1e-12))
            if entry.works_per_item:
                assert per_item(P, Q, task, entry.name) == pytest.approx(alone, abs=1e-12), entry.name
        assert entry.works_per_item == all(is_mean), entry.name


@pytest.mark.parametrize("task", ["multiclass", "multilabel"])
def test_the_number_of_threads_changes_no_digit(task, monkeypatch):
    rng = np.random.default_rng(4)
    P, Q = rng.dirichlet(np.ones(33), 5000), rng.dirichlet(np.ones(33), 5000)
    names = [entry.name for entry in metrics.available(task)]
    values = []
    for threads in (1, 2, 5):
        monkeypatch.setattr("metaeval.threads.processors", lambda count=threads: count)
        values.append(compute(P, Q, task, names).to_dict())
    assert values[0] == values[1] == values[2]


@pytest.mark.usefixtures("small_blocks")
def test_the_number_of_labels_alone_decides_how_many_rows_are_a_block():
    P = np.random.default_rng(4).random((9, 4))
    for threads in (1, 3):
        steps = []
        pair.shared_pass(P, [P, P], True, "tallies", lambda *step, told=steps: told.append(step), threads=threads)
        assert steps == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]  # two rows have eight cells


@pytest.mark.usefixtures("small_blocks")
def test_progress_tells_of_every_system_once_however_many_blocks_there_are():
    P, Q = np.random.default_rng(3).random((2, 9, 4))
    steps = []
    compute(P, [Q, P, Q], "multilabel", progress=lambda *step: steps.append(step))
    assert steps == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("stop", [False, True])
def test_no_thread_is_left_behind_when_the_work_is_done_or_stopped(monkeypatch, stop):
    class Stopped(Exception):
        pass

    def progress(done, total):
        if stop:
            raise Stopped

    monkeypatch.setattr("metaeval.threads.processors", lambda: 4)
    P = np.random.default_rng(4).random((400, 4))
    before = set(threading.enumerate())
    with pytest.raises(Stopped) if stop else nullcontext():
        compute(P, {"a": P, "b": P}, "multilabel", progress=progress)
    assert set(threading.enumerate()) <= before


@given(st.floats(1e-12, 1e-3))
@settings(deadline=None)
def test_the_distance_of_rows_that_nearly_agree_is_precise(step):
    P, Q = [[0.5, 0.5]], [[0.5 + step, 0.5 - step]]
    assert metrics.js_distance(P, Q) == pytest.approx(step / math.sqrt(2), rel=1e-3, abs=0)  # the series' first term
    assert metrics.js_distance(P, P) == 0.0


@pytest.mark.parametrize(
    ("p", "q"),
    [
        *(([0.5, 0.5], [0.5 + step, 0.5 - step]) for step in (1e-12, 1e-9, 1e-6, 1e-3, 5e-3)),
        ([0.3, 0.7 - 1e-6, 1e-6], [0.3 + 1e-6, 0.7 - 1e-6, 0.0]),
        ([0.3, 0.7 - 1e-6, 1e-6], [0.3 + 5e-7, 0.7 - 1e-6, 5e-7]),
        ([0.3, 0.7, 0.0], [0.3 + 1e-8, 0.7 - 1e-8, 0.0]),
    ],
)
def test_the_distance_of_rows_that_nearly_agree_is_precise_to_the_last_digits(p, q):
    with localcontext(prec=60):
        total = Decimal(0)
        for x, y in zip(map(Decimal, p), map(Decimal, q), strict=True):
            total += sum((z * (2 * z / (x + y)).ln() for z in (x, y) if z), Decimal(0)) / 2
        expected = float(total.sqrt())
    assert metrics.js_distance([p], [q]) == pytest.approx(expected, rel=1e-14, abs=0)
