"""The README's pipeline, typed as it is written into a clean shell: real files in, the field's table out.

It has an empty checkout of its own. From there only the exported responses travel to the test database, where the same
numbers must come out.
"""

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.db.models import Count
from scipy.spatial.distance import jensenshannon

from annotations.ground.system_names import system_name
from annotations.models import Assignment, Dataset, Study
from metaeval.metrics import compute
from tests.clean_shell import ROOT, blocks, fresh_checkout, loops, typed
from tests.metaeval.metrics.test_golden_metrics import CHAOSNLI_NAMES

pytestmark = pytest.mark.long


METRICS = {"accuracy", "macro_f1", "soft_accuracy", "soft_macro_f1", "po_jsd", "entropy_correlation"}
TEMPERATURES = {"0.5": "temperature 0.5", "1": "", "1.5": "temperature 1.5"} | {
    told: f"temperature {told}" for told in ("2", "3", "5")
}
"""What is typed, and how the method is called."""
PUBLISHED = {str(seed): f"ChaosNLI-SNLI.roberta-base.seed{seed}" for seed in range(3)}


@pytest.fixture(scope="session")
def out(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the README's commands have filled; `printed` is what they said. Of the whole session, for tests
    without the database run after all others."""
    home = tmp_path_factory.mktemp("readme")
    (script,) = (block for block in blocks(ROOT / "README.md") if "migrate" in block)
    checkout = fresh_checkout(home / "checkout")
    printed = typed(script, at=checkout, DATA=shared_data / "chaosnli", OUT=home / "out", **loops())
    (home / "out" / "printed").write_text(printed)
    return home / "out"


def result(path: Path) -> dict:
    loaded: dict = json.loads(path.read_text())
    return loaded


def here(*command: object) -> None:
    """Run a command on the test database."""
    call_command(*map(str, command), stdout=StringIO())


def test_the_pipeline_ends_in_the_table_that_the_field_publishes(out: Path) -> None:
    table = (out / "result.csv").read_text()
    assert "PO-JSD" in table
    assert len(table.splitlines()) > len(METRICS)
    assert "<svg" in (out / "scatter.svg").read_text()[:500]
    assert "Simulated data" in (out / "printed").read_text()
    assert result(out / "result.json")["counts"] == {
        "systems": 6, "instances": 1514, "labels": 3, "responses": 672, "comparisons": 168, "experts": 8,
        "looked_alike": 1,
    }  # fmt: skip


def test_the_study_that_came_back_gives_the_same_numbers(out: Path) -> None:
    first, again = result(out / "result.json"), result(out / "again.json")
    assert first["is_simulated"] is again["is_simulated"] is True
    assert first["correlations"] == again["correlations"]


def test_its_systems_are_the_methods_and_the_plan_says_why_and_what_for(out: Path) -> None:
    found = {row["system"]: row for row in result(out / "result.json")["systems"]}
    assert set(found) == {system_name("roberta-base", method) for method in TEMPERATURES.values()}
    assert {row["run"] for row in found.values()} == {""}
    assert all(set(row["metrics"]) == METRICS for row in found.values())
    printed = (out / "printed").read_text()
    assert "3 runs each of 6 methods. A study compares their means (6 systems)." in printed
    assert "The smallest p-value that a test can give here is .0028." in printed


@pytest.mark.django_db
def test_elsewhere_the_published_files_and_the_exported_responses_give_the_same_numbers(
    out: Path, shared_data: Path, golden: Path, tmp_path: Path
) -> None:
    folder = shared_data / "chaosnli"
    predictions = sorted(folder.glob("SNLI_*_roberta-base_*.json"))
    here("import_dataset", "chaosnli-snli", folder / "chaosNLI_snli.jsonl")
    for temperature in TEMPERATURES:
        here("import_predictions", "chaosnli-snli", *predictions, "--temperature", temperature)
    here("import_responses", out / "responses", "--dataset", "chaosnli-snli")
    here("analyse", "snli", "preference_correlation", "--seed", "1", "--json", tmp_path / "here.json")

    there, ours = result(out / "result.json"), result(tmp_path / "here.json")
    for part in ("fingerprint", "systems", "correlations", "tables"):
        assert ours[part] == there[part], f"{part} differs between here and elsewhere"
    the_plan_was_kept()
    single_runs_have_the_published_values(golden)
    means_are_what_a_second_implementation_says(ours)


def the_plan_was_kept() -> None:
    study = Study.objects.get(slug="snli")
    shown = Assignment.objects.filter(study=study).completed()
    shown_for = (
        study.comparisons.order_by().values_list("second_system").annotate(instances=Count("instance", distinct=True))
    )
    assert [instances for _, instances in shown_for] == [28] * 6
    assert study.comparisons.count() == 6 * 28
    assert shown.count() == 6 * 28 * 4
    for comparison in study.comparisons.all():
        assert shown.filter(comparison=comparison).values("expert").distinct().count() == 4
    assert shown.values("expert").distinct().count() == 8
    assert shown.values("expert", "instance").distinct().count() == shown.count()


def single_runs_have_the_published_values(golden: Path) -> None:
    reference = json.loads((golden / "metrics_chaosnli_snli.json").read_text())["metrics"]
    dataset = Dataset.objects.get(slug="chaosnli-snli")
    runs = {system.run: np.asarray(system.predictions) for system in dataset.systems.filter(method="")}
    assert set(runs) == set(PUBLISHED)
    values = compute(np.asarray(dataset.gold), runs, dataset.task)
    for metric in METRICS:
        for run, ours in zip(runs, values.of(metric), strict=True):
            published = reference[PUBLISHED[run]][CHAOSNLI_NAMES[metric]]
            assert ours == pytest.approx(published, abs=1e-9), (run, metric)


def means_are_what_a_second_implementation_says(found: dict) -> None:
    """No value is published of the mean of several runs."""
    metrics = {row["system"]: row["metrics"] for row in found["systems"]}
    dataset = Dataset.objects.get(slug="chaosnli-snli")
    plain = {run.run: run.predictions for run in dataset.systems.filter(method="")}
    for method in TEMPERATURES.values():
        runs = list(dataset.systems.filter(method=method))
        assert len(runs) == 3
        for run in runs:
            assert (run.predictions.argmax(axis=1) == plain[run.run].argmax(axis=1)).all()
        mean = sum(np.asarray(run.predictions) for run in runs) / 3
        distances = jensenshannon(dataset.gold, mean, axis=1, base=2)
        name = system_name("roberta-base", method)
        assert metrics[name]["po_jsd"]["value"] == pytest.approx(1 - np.mean(distances**2), abs=1e-9), method
