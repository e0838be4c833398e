"""How metrics relate: Table 2 within its sampling error, and the correlations of real systems exactly."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from metaeval import metrics
from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import AnalysisError, InvalidParameters, analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import NoInputs
from metaeval.analyses.inputs.gathering import Subject, gather_dataset
from metaeval.jobs.runs import compute
from tests.metaeval.datasets import annotated_dataset
from tests.metaeval.golden_runs import stored_result
from tests.metaeval.studies import answered_study

ROOT = Path(__file__).resolve().parents[4]
LETTERS = {"A": "accuracy", "J": "po_jsd", "E": "entropy_correlation", "S": "soft_accuracy"}


def simulate(*, seed=1, **parameters):
    """Without a database, as a notebook does."""
    entry = analyses.get("metric_relationship")
    return result_of(
        inputs=NoInputs(), entry=entry, parameters=entry.validated(parameters), seed=seed, work=Work(lambda *_: None)
    )


def relate(dataset, **parameters):
    return compute(
        subject=Subject.of_dataset(dataset),
        analysis="metric_relationship",
        parameters=parameters,
        seed=1,
        progress=lambda *_: None,
    )


def distances_from_table_2(golden, pairs):
    """The deviations of a stored run in standard errors, (1 - r^2) / sqrt(B), of both simulations together: (48,)."""
    result = stored_result(Subject.nothing(), "metric_relationship", pairs=pairs)
    rows = json.loads((golden / "metric_relationship.json").read_text())["rows"]
    found = {
        (setting["alpha"], setting["beta"], setting["labels"], frozenset((row["a"], row["b"]))): row
        for setting in result["settings"]
        for row in setting["relations"]
    }
    assert len(rows) == len(found) == 48
    distances = []
    for row in rows:
        names = frozenset(LETTERS[letter] for letter in row["pair"].split("-"))
        ours = found[row["alpha"], row["beta"], row["K"], names]
        error = (1 - row["value"] ** 2) * np.sqrt(1 / pairs + 1 / row["B"])
        distances.append((ours["value"] - row["value"]) / error)
    return np.array(distances)


@pytest.mark.django_db
@pytest.mark.shared_data
def test_table_2_by_a_short_simulation(golden):
    """With 48 values, one run in eight has one beyond 3 standard errors, so they are judged together."""
    distances = distances_from_table_2(golden, pairs=60)
    assert np.sqrt((distances**2).mean()) < 1.6
    assert np.abs(distances).max() < 4.5


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.shared_data
def test_table_2_in_the_size_of_the_paper(golden):
    assert np.abs(distances_from_table_2(golden, pairs=500)).max() < 3


def test_a_setting_does_not_depend_on_how_many_there_are_after_it_and_the_seed_decides():
    few = {"pairs": 8, "instances": 40, "label_counts": [4]}
    one, two = simulate(concentrations=["10,0.1"], **few), simulate(concentrations=["10,0.1", "1,1"], **few)
    assert json.dumps(one["settings"][0]) == json.dumps(two["settings"][0])
    assert one["settings"] != simulate(concentrations=["10,0.1"], seed=2, **few)["settings"]
    assert one["is_simulated"] is True


def test_figure_1_keeps_the_theorem():
    points = simulate(pairs=3, instances=10, label_counts=[3], concentrations=["1,1"])["points"]
    assert len(points) == 1000
    assert all(point["x"] <= point["y"] + 1e-12 for point in points)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
@pytest.mark.django_db
def test_correlations_over_systems_are_those_of_their_metrics(coefficient):
    dataset = annotated_dataset(systems=6)
    result = relate(dataset, coefficient=coefficient)
    inputs = gather_dataset(dataset)
    table = metrics.compute(inputs.P, inputs.Q, "multiclass")
    expected = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[coefficient]
    (setting,) = result["settings"]
    assert len(setting["relations"]) == 15
    for row in setting["relations"]:
        assert row["value"] == pytest.approx(expected(table.of(row["a"]), table.of(row["b"])).statistic, abs=1e-12)
    assert result["is_simulated"] is False
    names = [metric["name"] for metric in result["point_metrics"]]
    assert names == ["soft_accuracy", "po_jsd"]
    assert [point["x"] for point in result["points"]] == pytest.approx(table.of("soft_accuracy").tolist())


@pytest.mark.django_db
def test_a_system_in_which_a_metric_is_undefined_is_left_out_of_its_pairs():
    dataset = answered_study("flat", constant=3).study.dataset
    result = relate(dataset, metrics=["entropy_correlation", "po_jsd", "soft_micro_f1"])
    rows = {(row["a"], row["b"]): row for row in result["settings"][0]["relations"]}
    assert rows["entropy_correlation", "po_jsd"]["n"] == 8
    assert rows["po_jsd", "soft_micro_f1"]["n"] == 9
    assert result["tables"][0]["rows"][0]["notes"] == "1 left out because one is undefined"
    assert [entry["metric"] for entry in result["exclusions"]] == ["entropy_correlation"]
    spec = json.dumps(analyses.get("metric_relationship").draw("relationship_map", result).to_dict())
    assert "over 9 systems" in spec


@pytest.mark.django_db
def test_what_cannot_be_related_is_refused_with_a_sentence():
    with pytest.raises(AnalysisError, match=r"systems .*at least 3"):
        relate(annotated_dataset(systems=2))
    with pytest.raises(AnalysisError, match="name at least 2"):
        simulate(metrics=["po_jsd"])
    with pytest.raises(AnalysisError, match=r"micro_f1 .*multiclass task"):
        simulate(metrics=["micro_f1", "po_jsd"])
    with pytest.raises(AnalysisError, match="expected two numbers above 0"):
        simulate(concentrations=["0,1"])
    with pytest.raises(InvalidParameters):
        simulate(concentrations=["ten"])


@pytest.mark.django_db
def test_every_parameter_can_be_given_to_the_command_by_itself():
    """Django removes --settings and a few others from every command line before a command sees them."""
    command = [sys.executable, "manage.py", "analyse", "metric_relationship", "--pairs", "5", "--instances", "20"]
    command += ["--label-counts", "4", "--concentrations", "10,10", "0.1,10", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    taken = {"settings", "pythonpath", "verbosity", "traceback", "version"}
    assert not any(taken & set(entry.parameters.model_fields) for entry in analyses)
