"""The methods of several datasets and models: intervals over runs, metrics of two kinds of task, collapsed runs."""

import json

import numpy as np
import pytest
from scipy.stats import ttest_ind

from annotations.importing.memory.tables import PredictionTable, SystemTable
from annotations.importing.writing.predictions import write_predictions
from annotations.models import Dataset
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.analyses.system_scores.analysis import IS_THE_BASELINE
from metaeval.bundles.verifying import explained
from metaeval.figures import words_of
from metaeval.jobs.runs import compute
from metaeval.stats.welch import EQUAL_RUNS, ONE_RUN_ON_A_SIDE
from tests.metaeval.analyses.system_scores.training_runs import trained_dataset
from tests.metaeval.datasets import annotated_dataset

pytestmark = pytest.mark.django_db
FEW = ("MV", "SL", "SmF1")


def scores(subject, **parameters):
    return compute(subject=subject, analysis="system_scores", parameters=parameters, seed=1, progress=lambda *_: None)


def table_of(result, name):
    return next(table for table in result["tables"] if table["name"] == name)


def group(result, method, **where):
    return next(row for row in result["groups"] if row["method"] == method and where.items() <= row.items())


def both_tasks():
    one = trained_dataset("one-label", methods=FEW)
    return [one, trained_dataset("several", task="multilabel", methods=FEW, seed=2)]


def test_a_difference_is_of_each_run_from_the_mean_of_the_baselines_runs_with_welchs_interval():
    result = scores(Subject.of_dataset(trained_dataset("d", methods=FEW)), baseline="MV", level=0.9)
    for model in ("RoBERTa", "TwHIN"):
        runs = {
            method: [
                system["metrics"]["po_jsd"]["value"]
                for system in result["systems"]
                if (system["model"], system["method"]) == (model, method)
            ]
            for method in ("MV", "SL")
        }
        found = group(result, "SL", model=model)["metrics"]["po_jsd"]
        each = [run - np.mean(runs["MV"]) for run in runs["SL"]]
        assert found["difference"] == pytest.approx(np.mean(each), abs=1e-12)
        expected = ttest_ind(runs["SL"], runs["MV"], equal_var=False).confidence_interval(0.9)
        assert (found["low"], found["high"]) == pytest.approx((expected.low, expected.high), abs=1e-12)
        assert found["interval_reason"] == ""
    own = group(result, "MV", model="RoBERTa")["metrics"]["po_jsd"]
    assert (own["difference"], own["low"], own["interval_reason"]) == (0, None, IS_THE_BASELINE)
    table = table_of(result, "differences")
    assert "90% low" in [column["title"] for column in table["columns"]]
    assert any("about seeds, not about texts" in note for note in table["notes"])


def test_without_a_second_run_there_is_a_difference_and_no_interval_and_the_reason_is_said():
    result = scores(Subject.of_dataset(trained_dataset("d", methods=("MV", "SL"), runs=1)), baseline="MV")
    found = group(result, "SL", model="TwHIN")["metrics"]["po_jsd"]
    assert found["difference"] is not None
    assert (found["low"], found["high"]) == (None, None)
    assert found["interval_reason"] == ONE_RUN_ON_A_SIDE
    table = table_of(result, "differences")
    assert not [column["key"] for column in table["columns"] if column["key"].endswith("_low")]
    assert f"No interval: {ONE_RUN_ON_A_SIDE}." in table["notes"]


def test_a_method_without_the_baseline_in_its_model_has_no_interval_either():
    dataset = trained_dataset("d", methods=("MV", "SL"), models=("A",))
    gold = np.asarray(dataset.gold)
    write_predictions(dataset=dataset, table=PredictionTable((SystemTable("B", gold, "SL", "1"),)))
    found = group(scores(Subject.of_dataset(dataset), baseline="MV"), "SL", model="B")["metrics"]["po_jsd"]
    assert found["interval_reason"] == found["difference_reason"] == "the model has no system of the method MV"


def test_what_an_earlier_version_stored_is_equal_today():
    """Version 2 had no intervals, no collapse and no headings over the differences."""
    now = scores(Subject.of_dataset(trained_dataset("d", methods=FEW)), baseline="MV")
    before = json.loads(json.dumps(now))
    before["version"] = 2
    for key in ("level", "collapsed"):
        del before[key]
    for row in before["groups"]:
        for found in row["metrics"].values():
            for key in ("low", "high", "interval_reason"):
                del found[key]
    for row in before["systems"]:
        del row["collapse"]
    for metric in before["metrics"]:
        del metric["multilabel"]
    del before["parameters"]["level"]
    for table in before["tables"]:
        ends = {column["key"] for column in table["columns"] if column["key"].endswith(("_low", "_high"))}
        table["columns"] = [column for column in table["columns"] if column["key"] not in ends]
        table["rows"] = [{key: cell for key, cell in row.items() if key not in ends} for row in table["rows"]]
        table["notes"] = table["notes"][:1]
        for column in table["columns"] if table["name"] == "differences" else []:
            column["group"] = ""
    entry = analyses.get("system_scores")
    assert explained(before, now, corrections=[]).unexplained == ()
    assert entry.read(before).collapsed == []
    assert entry.answer(before)
    assert "score_differences" in entry.figure_names(before)
    assert entry.draw("score_differences", before).to_dict()
    assert entry.asked_in(before).model_dump()["metrics"] == [metric["name"] for metric in now["metrics"]]


def test_datasets_of_both_kinds_of_task_show_the_six_of_each_as_kurniawan_et_al_do():
    result = scores(Subject.of_datasets(both_tasks()))
    first = [(metric["name"], metric["multilabel"]) for metric in result["metrics"][:6]]
    own = {task: [entry.name for entry in metrics.defaults(task)] for task in ("multiclass", "multilabel")}
    assert {name for name, _ in first} == set(own["multiclass"])
    assert {other or name for name, other in first} == set(own["multilabel"])
    assert result["metrics"][0]["title"] == "Accuracy or micro F1"
    assert "soft_micro_f1" not in [metric["name"] for metric in result["metrics"]]
    alone = scores(Subject.of_dataset(annotated_of("several")))
    for method in FEW:
        here = group(result, method, dataset="several", model="RoBERTa")["metrics"]
        there = group(alone, method, model="RoBERTa")["metrics"]
        assert here["accuracy"] == there["micro_f1"]
        assert here["soft_accuracy"] == there["soft_micro_f1"]
        assert here["po_jsd"] == there["po_jsd"]
    (note,) = [note for note in table_of(result, "means")["notes"] if note.startswith("Where")]
    assert note == (
        "Where a text has one label: accuracy and soft accuracy; where it may have several: micro F1 and soft micro F1."
    )


def annotated_of(slug):
    return Dataset.objects.get(slug=slug)


@pytest.mark.parametrize(
    ("named", "found"),
    [
        (["micro_f1"], [("accuracy", "micro_f1")]),
        (["accuracy", "micro_f1", "po_jsd"], [("accuracy", "micro_f1"), ("po_jsd", "")]),
        (["soft_micro_f1"], [("soft_micro_f1", "")]),  # both tasks have it
    ],
)
def test_either_metric_of_a_pair_names_both_where_a_dataset_lacks_it(named, found):
    result = scores(Subject.of_datasets(both_tasks()), metrics=named)
    assert [(metric["name"], metric["multilabel"]) for metric in result["metrics"]] == found
    again = analyses.get("system_scores").asked_in(result).model_dump()["metrics"]
    repeated = scores(Subject.of_datasets([annotated_of("one-label"), annotated_of("several")]), metrics=again)
    assert repeated["groups"] == result["groups"]


def test_a_metric_without_a_counterpart_is_refused_and_of_one_task_nothing_is_paired():
    with pytest.raises(AnalysisError, match=r"js_distance .*multilabel task"):
        scores(Subject.of_datasets(both_tasks()), metrics=["js_distance"])
    with pytest.raises(AnalysisError, match=r"micro_f1 .*multiclass task"):
        scores(Subject.of_dataset(annotated_of("one-label")), metrics=["micro_f1"])


def test_runs_that_predict_no_label_or_always_the_same_are_named_wherever_one_reads():
    result = scores(Subject.of_datasets(both_tasks()), baseline="MV")
    assert [(one["dataset"], one["collapse"], one["runs"], one["of"]) for one in result["collapsed"]] == [
        ("one-label", "same", 2, 3),
        ("several", "nothing", 2, 3),
    ]
    entry = analyses.get("system_scores")
    none = "SmF1 of TwHIN predicts no label for any text in 2 of 3 runs on several: it collapsed"
    same = "SmF1 of TwHIN predicts the same for every text in 2 of 3 runs on one-label: it collapsed"
    assert none in entry.answer(result)
    assert same in entry.answer(result)
    assert f"{none}." in table_of(result, "means")["notes"]
    for name in entry.figure_names(result):
        assert none in words_of(entry.draw(name, result, size="two")).caption, name


def test_a_run_that_collapsed_is_named_although_the_method_keeps_its_rank():
    dataset = trained_dataset("d", task="multilabel", methods=FEW, models=("One",), collapsed=1)
    result = scores(Subject.of_dataset(dataset))
    assert [one["collapse"] for one in result["systems"]][-3:] == ["nothing", "", ""]
    assert {row["name"]: row["degenerate"] for row in result["ranks"]}["SmF1"] == 0
    assert "SmF1 predicts no label for any text in 1 of 3 runs: it collapsed" in analyses.get("system_scores").answer(
        result
    )
    mean = group(result, "SmF1")["metrics"]["entropy_correlation"]
    assert mean["runs"] == 2
    assert "Entropy correlation of One / SmF1: over 2 of 3 runs; in the others it is undefined." in [
        *table_of(result, "means")["notes"]
    ]


def test_equal_runs_do_not_vary_by_rounding():
    """Three times an accuracy of 158 / 168 has a standard deviation of 1e-16 in floating point."""
    dataset = annotated_dataset("d", systems=0, items=168, people=1)
    Q = np.array(dataset.gold)
    Q[:10] = np.roll(Q[:10], 1, axis=1)
    systems = tuple(SystemTable("One", Q, method, run) for method in ("MV", "SL") for run in ("1", "2", "3"))
    write_predictions(dataset=dataset, table=PredictionTable(systems))
    found = group(scores(Subject.of_dataset(dataset), baseline="MV"), "SL")["metrics"]["accuracy"]
    assert found["mean"] == pytest.approx(158 / 168)
    assert found["deviation"] == 0.0
    assert found["interval_reason"] == EQUAL_RUNS


def test_a_network_whose_shares_differ_only_beyond_the_second_decimal_collapsed_too():
    dataset = annotated_dataset("near", systems=0, task="multilabel")
    rng = np.random.default_rng(1)
    shape = np.asarray(dataset.gold).shape
    made = {
        "nothing": rng.uniform(0, 0.009, shape),
        "same": 0.5 + rng.uniform(0, 0.009, shape),
        "": 0.5 + rng.uniform(0, 0.02, shape),
    }
    made[""][:2, 0] = 0.5, 0.52
    systems = tuple(SystemTable("Model", Q, f"kind {kind}", "1") for kind, Q in made.items())
    write_predictions(dataset=dataset, table=PredictionTable(systems))
    result = scores(Subject.of_dataset(dataset))
    assert {row["method"].removeprefix("kind").strip(): row["collapse"] for row in result["systems"]} == {
        kind: kind for kind in made
    }


def test_an_undefined_entropy_correlation_is_a_dash_with_its_reason_and_not_a_collapse():
    """A system that is always sure, of different labels, has no entropies that vary."""
    dataset = annotated_dataset("sure", systems=0)
    sure = np.eye(3)[np.asarray(dataset.gold).argmax(axis=1)]
    runs = tuple(SystemTable("One", sure, "sure", run) for run in "12")
    others = tuple(SystemTable("One", 0.6 * sure + 0.4 * np.asarray(dataset.gold), "MV", run) for run in "12")
    write_predictions(dataset=dataset, table=PredictionTable((*runs, *others)))
    result = scores(Subject.of_dataset(dataset), baseline="MV", metrics=["entropy_correlation", "po_jsd"])
    assert result["collapsed"] == []
    found = group(result, "sure")["metrics"]["entropy_correlation"]
    assert (found["mean"], found["difference"], found["low"]) == (None, None, None)
    row = next(row for row in table_of(result, "differences")["rows"] if row["method"] == "sure")
    assert (row["entropy_correlation"], row["notes"]) == (
        None,
        "Entropy correlation undefined: one of the two means is undefined",
    )
    entry = analyses.get("system_scores")
    for name in ("score_differences", "score_dots"):
        caption = words_of(entry.draw(name, result, size="two")).caption
        assert "A dash: undefined. entropy correlation (the entropy of Q" in caption
        spec = entry.draw(name, result).to_dict()
        rows = [row for rows in spec["datasets"].values() for row in rows]
        assert [row["text"] for row in rows if row.get("text")] == ["–"], name
