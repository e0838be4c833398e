"""Scores of systems: the metrics' values, means over runs, differences within models; golden on real predictions."""

import json

import numpy as np
import pytest

from annotations.importing.memory.tables import PredictionTable, SystemTable
from annotations.importing.writing.predictions import write_predictions
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.inputs.gathering import Subject, gather_dataset
from metaeval.analyses.system_scores.analysis import ONE_RUN
from metaeval.jobs.runs import compute
from tests.metaeval.datasets import annotated_dataset
from tests.metaeval.golden_runs import about, imported, stored_result
from tests.metaeval.studies import answered_study

pytestmark = pytest.mark.django_db


GOLDEN = {
    "accuracy": "hard_accuracy",
    "macro_f1": "hard_macro_f1",
    "soft_accuracy": "soft_accuracy",
    "soft_macro_f1": "soft_macro_f1",
    "po_jsd": "po_jsd_base2",
    "js_distance": "mean_js_distance_natural_sqrt",
    "entropy_correlation": "entropy_correlation",
    "cross_entropy": "cross_entropy_nats",
    "kl_divergence": "kl_human_model_nats",
    "tvd": "tvd",
    "manhattan_distance": "manhattan",
}


def scores(subject, **parameters):
    return compute(subject=subject, analysis="system_scores", parameters=parameters, seed=1, progress=lambda *_: None)


def group(result, model, method):
    return next(row for row in result["groups"] if (row["model"], row["method"]) == (model, method))


@pytest.fixture
def with_runs(db):
    """Three runs of method A, two of B and one of C in one model; A alone in another."""
    dataset = annotated_dataset("runs", systems=0)
    rng = np.random.default_rng(2)
    gold = np.asarray(dataset.gold)

    def system(model, method, run):
        return SystemTable(model, 0.6 * gold + 0.4 * rng.dirichlet(np.ones(3), len(gold)), method, run)

    made = [system("One", "A", run) for run in "123"] + [system("One", "B", run) for run in "12"]
    made += [system("One", "C", "1"), system("Two", "A", "1")]
    write_predictions(dataset=dataset, table=PredictionTable(tuple(made)))
    return dataset


def test_means_deviations_and_differences_are_those_of_the_runs(with_runs):
    result = scores(Subject.of_dataset(with_runs), baseline="A")
    inputs = gather_dataset(with_runs)
    for name in ("po_jsd", "soft_accuracy", "manhattan_distance"):
        metric = getattr(metrics, name)
        values = {system: metric(inputs.P, inputs.Q[system], "multiclass") for system in inputs.systems}
        a = [values[f"One / A / {run}"] for run in "123"]
        b = [values[f"One / B / {run}"] for run in "12"]
        found = group(result, "One", "B")["metrics"][name]
        assert found["mean"] == pytest.approx(np.mean(b), abs=1e-12)
        assert found["deviation"] == pytest.approx(np.std(b, ddof=1), abs=1e-12)
        assert found["difference"] == pytest.approx(np.mean(b) - np.mean(a), abs=1e-12)
    assert group(result, "One", "A")["metrics"]["po_jsd"]["difference"] == 0
    alone = group(result, "One", "C")["metrics"]["po_jsd"]
    assert (alone["deviation"], alone["deviation_reason"]) == (None, ONE_RUN)
    assert set(result["groups"][0]["metrics"]) == {entry.name for entry in metrics.available("multiclass")}
    assert [metric["name"] for metric in result["metrics"][:6]] == [m.name for m in metrics.defaults("multiclass")]


def test_a_model_without_the_baseline_has_no_differences_and_says_so(with_runs):
    result = scores(Subject.of_dataset(with_runs), baseline="B", metrics=["po_jsd"])
    found = group(result, "Two", "A")["metrics"]["po_jsd"]
    assert (found["difference"], found["difference_reason"]) == (None, "the model has no system of the method B")
    table = next(table for table in result["tables"] if table["name"] == "differences")
    assert {row["method"] for row in table["rows"]} == {"A", "C"}
    row = next(row for row in table["rows"] if row["model"] == "Two")
    assert row["notes"] == "undefined: the model has no system of the method B"


def test_an_unknown_baseline_is_answered_with_the_methods(with_runs):
    with pytest.raises(AnalysisError, match=r"'Z'\. .*\bA, B, .*C\b"):
        scores(Subject.of_dataset(with_runs), baseline="Z")


def test_without_a_baseline_there_are_no_differences(with_runs):
    result = scores(Subject.of_dataset(with_runs))
    assert [table["name"] for table in result["tables"]] == ["means", "systems", "ranks"]


def two_datasets():
    """In both, method G has people's own shares, W the opposite ones, and D the same for everything; B is only in
    one."""
    made = []
    for number, slug in enumerate(("first", "second")):
        dataset = annotated_dataset(slug, systems=0, seed=3 + number)
        gold = np.asarray(dataset.gold)
        methods = {"D": np.tile(gold.mean(axis=0), (len(gold), 1)), "W": np.roll(gold, 1, axis=1), "G": gold}
        if not number:
            methods["B"] = 0.9 * gold + 0.1 / 3
        tables = tuple(SystemTable("One", Q, method, "1") for method, Q in methods.items())
        write_predictions(dataset=dataset, table=PredictionTable(tables))
        made.append(dataset)
    return made


def test_methods_are_ordered_by_their_mean_rank_over_datasets_and_degenerate_ones_are_last():
    result = scores(Subject.of_datasets(two_datasets()), metrics=["soft_accuracy", "manhattan_distance"])
    assert result["datasets"] == ["first", "second"]
    found = {row["name"]: row for row in result["ranks"]}
    # First dataset: G, B, W, D by both metrics; second: G, W, D.
    assert [(row["name"], row["rank"]) for row in result["ranks"]] == [("G", 1), ("B", 2), ("W", 2.5), ("D", 3.5)]
    assert {name: row["rankings"] for name, row in found.items()} == {"G": 4, "B": 2, "W": 4, "D": 4}
    assert {name: row["degenerate"] for name, row in found.items()} == {"G": 0, "B": 0, "W": 0, "D": 4}
    values = {group["method"]: group["metrics"]["soft_accuracy"]["mean"] for group in result["groups"]}
    assert values["D"] > values["W"]  # it is last because it is constant, not by its value
    assert found["W"]["by_metric"] == {"soft_accuracy": 2.5, "manhattan_distance": 2.5}
    assert {(row["dataset"], row["method"]) for row in result["groups"]} == {
        ("first", "G"),
        ("first", "B"),
        ("first", "W"),
        ("first", "D"),
        ("second", "G"),
        ("second", "W"),
        ("second", "D"),
    }
    assert analyses.get("system_scores").figure_names(result) == ["score_ranks"]
    drawn = json.dumps(analyses.get("system_scores").draw("score_ranks", result).to_dict())
    assert "Mean ranks over 2 datasets" in drawn


def test_an_earlier_result_has_no_ranks_and_no_figure_of_them(with_runs):
    result = scores(Subject.of_dataset(with_runs), metrics=["po_jsd"])
    assert [row["rankings"] for row in result["ranks"]] == [1, 1, 1]  # the model that only has A ranks nothing
    earlier = {key: value for key, value in result.items() if key not in {"ranks", "datasets"}}
    names = analyses.get("system_scores").figure_names(result)
    assert analyses.get("system_scores").figure_names(earlier) == [name for name in names if name != "score_ranks"]


def test_what_is_undefined_is_null_with_its_reason_and_listed():
    made = answered_study("flat", constant=3)
    result = scores(Subject.of_study(made.study), metrics=["entropy_correlation", "po_jsd"])
    origin = made.systems[3]
    found = group(result, origin.model, origin.method)["metrics"]["entropy_correlation"]
    assert found["mean"] is None
    assert "the entropy of Q is the same for every instance" in found["reason"]
    (left_out,) = result["exclusions"]
    assert left_out["system"] == origin.name
    row = next(row for row in result["tables"][0]["rows"] if row["method"] == origin.method)
    assert row["notes"].startswith("Entropy correlation undefined: the entropy of Q is the same")


def test_a_dataset_without_systems_says_what_to_do():
    with pytest.raises(AnalysisError, match=r"has no systems\. Import predictions"):
        scores(Subject.of_dataset(annotated_dataset("bare", systems=0)))


def test_the_map_is_orange_where_a_method_is_better_whatever_the_metric_s_direction(with_runs):
    result = scores(Subject.of_dataset(with_runs), baseline="A", metrics=["soft_accuracy", "manhattan_distance"])
    spec = analyses.get("system_scores").draw("score_map", result).to_dict()
    values = next(rows for rows in spec["datasets"].values() if "dark" in rows[0])
    cells = {(cell["row"], cell["column"]): cell["value"] for cell in values}
    soft, distance = result["metrics"][0]["title"], result["metrics"][1]["title"]
    for method in ("B", "C"):
        better = group(result, "One", method)["metrics"]["soft_accuracy"]["difference"] > 0
        assert (cells[f"One / {method}", soft] > 0) is better
        assert (cells[f"One / {method}", distance] > 0) is better  # the distance is twice 1 - soft accuracy
    assert '"A"' in json.dumps(analyses.get("system_scores").draw("score_dots-soft_accuracy", result).to_dict())


@pytest.mark.shared_data
def test_golden_metrics_of_real_predictions(golden, shared_data):
    files = sorted((shared_data / "chaosnli").glob("SNLI_*_roberta-base_*.json"))
    dataset = imported(shared_data, ["chaosnli/chaosNLI_snli.jsonl"], predictions=files)
    result = stored_result(about(dataset), "system_scores")
    expected = json.loads((golden / "metrics_chaosnli_snli.json").read_text())
    compared = 0
    for system in result["systems"]:
        row = expected["metrics"][f"ChaosNLI-SNLI.roberta-base.seed{system['run']}"]
        for name, key in GOLDEN.items():
            assert system["metrics"][name]["value"] == pytest.approx(row[key], abs=1e-9), (system["run"], name)
            compared += 1
    assert compared == 3 * len(GOLDEN)
    row = result["groups"][0]
    values = [system["metrics"]["po_jsd"]["value"] for system in result["systems"]]
    assert row["metrics"]["po_jsd"]["deviation"] == pytest.approx(np.std(values, ddof=1), abs=1e-12)
