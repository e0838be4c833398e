"""The registry: what it knows, how a value says that it is undefined, and how one call computes many."""

import copy
import inspect
import math
from dataclasses import replace

import numpy as np
import pytest

from metaeval import metrics
from metaeval.metrics import MetricValue, Pair, UnknownName, WrongTaskError, compute, registry
from metaeval.metrics.pair import one_pass
from metaeval.metrics.registry import sections_of_pairs, with_sections

SIX = {
    "multiclass": {"accuracy", "macro_f1", "soft_accuracy", "soft_macro_f1", "po_jsd", "entropy_correlation"},
    "multilabel": {"micro_f1", "macro_f1", "soft_micro_f1", "soft_macro_f1", "po_jsd", "entropy_correlation"},
}


@pytest.mark.parametrize("task", ["multiclass", "multilabel"])
def test_the_defaults_are_the_six_metrics_of_the_paper(task):
    assert {entry.name for entry in metrics.defaults(task)} == SIX[task]


def test_an_ordinal_scale_is_judged_as_classes():
    assert {entry.name for entry in metrics.defaults("ordinal")} == SIX["multiclass"]


def test_every_metric_says_what_it_is():
    for entry in metrics.available():
        assert entry.title
        assert entry.source
        assert "Formula:" in entry.description
        assert entry.orientation in {"higher", "lower"}
        assert entry.range[0] < entry.range[1]


def test_every_metric_can_be_imported_under_its_name():
    for entry in metrics.available():
        assert getattr(metrics, entry.name) is entry.function
        assert entry.name in dir(metrics)


def test_a_metric_needs_no_line_beside_its_own_file(monkeypatch):
    monkeypatch.setattr(registry.metrics, "_entries", dict(registry.metrics._entries))

    @metrics.metric(title="Mass", tasks=metrics.MULTILABEL, source="this test", works_per_item=False)
    def mass(pair: Pair) -> float:
        return float(pair.Q.mean())

    from metaeval.metrics import mass as imported

    assert imported is mass
    assert "mass" in dir(metrics)


def test_a_name_that_no_metric_has_cannot_be_imported():
    with pytest.raises(ImportError, match="'soft_f1'"):
        from metaeval.metrics import soft_f1  # noqa: F401 - that is tested
    with pytest.raises(AttributeError, match="'soft_f1'"):
        metrics.soft_f1  # noqa: B018 - that is tested


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(UnknownName, match=r"'f1'\. .*\baccuracy, "):
        metrics.get("f1")


def test_a_metric_of_another_task_is_refused():
    with pytest.raises(WrongTaskError, match=r"\baccuracy .*multilabel task; .*: micro_f1"):
        compute([[1.0]], [[1.0]], "multilabel", ["accuracy"])
    with pytest.raises(WrongTaskError, match=r"\baccuracy .*multilabel task"):
        metrics.accuracy([[1.0]], [[1.0]], "multilabel")


def test_a_metric_that_means_two_things_has_to_be_told_which():
    with pytest.raises(TypeError, match=r"\bpo_jsd "):
        metrics.po_jsd([[1.0]], [[1.0]])


def test_a_metric_from_a_plugin_is_computed_like_ours(monkeypatch):
    monkeypatch.setattr(registry.metrics, "_entries", dict(registry.metrics._entries))

    @metrics.metric(title="Mass", tasks=metrics.MULTILABEL, source="this test", works_per_item=False)
    def mass(pair: Pair) -> float:
        """Formula: the mean of Q."""
        return float(pair.Q.mean())

    assert mass([[1.0, 0.0]], [[0.25, 0.75]]) == 0.5
    assert compute([[1.0, 0.0]], [[0.25, 0.75]], "multilabel", ["mass"])["Q"] == {"mass": 0.5}
    again = metrics.metric(title="", tasks=metrics.MULTILABEL, source="", works_per_item=True)
    with pytest.raises(ValueError, match="'mass'"):
        again(inspect.unwrap(mass))


def test_a_value_is_a_float_that_can_say_why_it_is_undefined():
    value = metrics.soft_micro_f1([[0.0]], [[0.0]], "multilabel", zero_division=math.nan)
    assert isinstance(value, float)
    assert math.isnan(value)
    assert not value.is_defined
    assert "0/0" in value.reason
    assert value.to_dict() == {"value": None, "reason": value.reason}
    assert copy.copy(value).reason == value.reason  # like pickle, so it survives a process pool
    assert MetricValue(0.5).to_dict() == {"value": 0.5, "reason": ""}
    assert np.mean([MetricValue(0.5), MetricValue(1.0)]) == 0.75


def test_a_value_is_nan_if_and_only_if_it_has_a_reason():
    with pytest.raises(ValueError, match="if and only if"):
        MetricValue(math.nan)
    with pytest.raises(ValueError, match="if and only if"):
        MetricValue(0.5, "no reason")


def test_an_undefined_label_is_named():
    Q = [[0.2, 0.5], [0.4, 0.5]]
    value = metrics.entropy_correlation([[0.1, 0.2], [0.2, 0.3]], Q, "multilabel")
    assert " label 1 " in value.reason
    table = compute([[0.1, 0.2], [0.2, 0.3]], Q, "multilabel", ["entropy_correlation"], labels=["Tax", "Health"])
    assert table["Q"]["entropy_correlation"].reason.endswith("in label 'Health'")
    with pytest.raises(metrics.DistributionError, match=r"1 names .*2 columns"):
        compute(Q, Q, "multilabel", labels=["Tax"])


def test_no_metrics_are_an_empty_table():
    assert compute([[0.5]], {"a": [[0.5]]}, "multilabel", []).to_dict() == {"a": {}}


@pytest.mark.parametrize("task", ["multiclass", "ordinal", "multilabel"])
def test_a_metric_says_which_of_the_shared_sums_it_takes(task):
    P, Q = np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([[0.8, 0.2], [0.3, 0.7]])
    for entry in metrics.available(task):
        pair = Pair(P, Q, task)
        entry.of(pair)
        taken = {"", "tallies", "information"} & set(vars(pair))
        assert entry.reads == ("information" if "information" in taken else "tallies" if taken else ""), entry.name


@pytest.mark.parametrize(
    ("reads", "known"), [("", []), ("tallies", ["tallies"]), ("information", ["information", "tallies"])]
)
def test_the_shared_sums_are_there_before_a_metric_is_asked_and_no_others(monkeypatch, reads, known):
    monkeypatch.setattr(registry.metrics, "_entries", dict(registry.metrics._entries))

    @metrics.metric(title="Ready", tasks=metrics.MULTILABEL, source="this test", works_per_item=False, reads=reads)
    def ready(pair: Pair) -> float:
        return float(sorted({"tallies", "information"} & set(vars(pair))) == known)

    table = compute([[1.0, 0.0]], {"a": [[0.25, 0.75]], "b": [[0.5, 0.5]]}, "multilabel", ["ready"])
    assert table.of("ready").tolist() == [1.0, 1.0]


def test_the_pass_that_gives_the_information_gives_the_tallies_too(monkeypatch):
    passes = []

    def counted(*given):
        passes.append(given)
        return one_pass(*given)

    monkeypatch.setattr("metaeval.metrics.pair.one_pass", counted)
    P, Q = np.array([[0.75, 0.25], [0.5, 0.5]]), np.array([[0.25, 0.75], [0.5, 0.5]])
    pair = Pair(P, Q, "multiclass")
    assert pair.information.instances == 2
    assert pair.tallies.overlap.tolist() == np.minimum(P, Q).sum(axis=0).tolist()
    assert len(passes) == 1


def test_the_values_of_instances_are_computed_block_by_block_where_a_metric_says_how(monkeypatch):
    monkeypatch.setattr(registry.metrics, "_entries", dict(registry.metrics._entries))
    asked = []

    def tops(pair):
        asked.append(pair.instances)
        return pair.Q.max(axis=1)

    @metrics.metric(title="Top", tasks=metrics.MULTILABEL, source="this test", works_per_item=True, items=tops)
    def top(pair: Pair) -> float:
        raise NotImplementedError  # an instance at a time, which nobody is to ask for

    found = metrics.per_item([[1.0, 0.0]] * 3, [[0.25, 0.75], [0.5, 0.0], [0.0, 1.0]], "multilabel", "top")
    assert found.tolist() == [0.75, 0.5, 1.0]
    assert asked == [3]


def test_no_metric_of_ours_is_asked_for_one_row_at_a_time():
    """Which takes a hundred times as long as a block of rows."""

    def refused(pair: Pair) -> float:
        raise NotImplementedError  # an instance at a time, which nobody is to ask for

    P, Q = np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([[0.8, 0.2], [0.3, 0.7]])
    for entry in metrics.available():
        if entry.is_ours and entry.works_per_item:
            for task in entry.tasks:
                assert replace(entry, definition=refused).per_item(Pair(P, Q, task)).shape == (2,), entry.name


def test_one_call_computes_many_systems_and_tells_how_far_it_is():
    rng = np.random.default_rng(3)
    P, Q = rng.random((9, 4)), rng.random((3, 9, 4))
    steps = []
    table = compute(P, Q, "multilabel", progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (2, 3), (3, 3)]
    assert table.systems == ("0", "1", "2")
    assert table.of("po_jsd").tolist() == [metrics.po_jsd(P, q, "multilabel") for q in Q]
    assert table.to_dict()["1"]["micro_f1"] == {"value": table["1"]["micro_f1"], "reason": ""}


def test_a_caller_can_stop_the_work_from_its_progress():
    class Stopped(Exception):
        pass

    def stop(done, total):
        raise Stopped

    P = np.random.default_rng(3).random((20_000, 33))
    with pytest.raises(Stopped):
        compute(P, {"a": P, "b": P}, "multilabel", progress=stop)


WRITTEN = """Mean Q.

Formula: Q.

Returns
-------
float
    All cells.

References
----------
A paper.

Warnings
--------
Slow."""


def test_the_sections_of_an_author_are_kept_with_those_that_are_known_before_them():
    found = with_sections(WRITTEN, {"Returns": "any number", "References": "Its source."})
    assert found.split("\n\n") == [
        "Mean Q.",
        "Returns\n-------\nfloat\n    All cells.",  # the author's alone: it is about this metric
        "Notes\n-----\nFormula: Q.",
        "References\n----------\nIts source.\nA paper.",
        "Warnings\n--------\nSlow.",
    ]


@pytest.mark.parametrize(
    ("limits", "shown"), [((0.0, 1.0), "[0, 1]"), ((-1.0, 0.25), "[-1, 0.25]"), ((0.0, math.inf), "[0, infinity)")]
)
def test_the_range_of_a_metric_is_shown_and_open_where_it_has_no_end(limits, shown):
    assert f" {shown};" in sections_of_pairs(["multiclass"], limits, "lower", "a paper")["Returns"]
