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

from annotations.models import Assignment, Dataset, Study
from tests.clean_shell import ROOT, blocks, fresh_checkout, typed
from tests.metaeval.metrics.test_golden_metrics import CHAOSNLI_NAMES

METRICS = {"accuracy", "macro_f1", "soft_accuracy", "soft_macro_f1", "po_jsd", "entropy_correlation"}
PLAIN = {f"roberta-base / {seed}": f"ChaosNLI-SNLI.roberta-base.seed{seed}" for seed in range(3)}
HEATED = [f"roberta-base / temperature 2 / {seed}" for seed in range(3)]


@pytest.fixture(scope="session")
def out(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the README's commands have filled; `printed` is what they said. Of the whole session, for tests
    without the database run after all others."""
    home = tmp_path_factory.mktemp("readme")
    (script,) = (block for block in blocks(ROOT / "README.md") if "migrate" in block)
    checkout = fresh_checkout(home / "checkout")
    printed = typed(script, at=checkout, DATA=shared_data / "chaosnli", OUT=home / "out")
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
    }  # fmt: skip


def test_the_study_that_came_back_gives_the_same_numbers(out: Path) -> None:
    first, again = result(out / "result.json"), result(out / "again.json")
    assert first["is_simulated"] is again["is_simulated"] is True
    assert first["correlations"] == again["correlations"]


def test_its_metrics_are_the_published_ones(out: Path, golden: Path) -> None:
    reference = json.loads((golden / "metrics_chaosnli_snli.json").read_text())["metrics"]
    found = {row["system"]: row["metrics"] for row in result(out / "result.json")["systems"]}
    assert set(found) == {*PLAIN, *HEATED}
    for system, name in PLAIN.items():
        assert set(found[system]) == METRICS
        for metric, ours in found[system].items():
            published = reference[name][CHAOSNLI_NAMES[metric]]
            assert ours["value"] == pytest.approx(published, abs=1e-9), (system, metric)


@pytest.mark.django_db
def test_elsewhere_the_published_files_and_the_exported_responses_give_the_same_numbers(
    out: Path, shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "chaosnli"
    predictions = sorted(folder.glob("SNLI_*_roberta-base_*.json"))
    here("import_dataset", "chaosnli-snli", folder / "chaosNLI_snli.jsonl")
    here("import_predictions", "chaosnli-snli", *predictions)
    here("import_predictions", "chaosnli-snli", *predictions, "--temperature", "2")
    here("import_responses", out / "responses", "--dataset", "chaosnli-snli")
    here("analyse", "snli", "preference_correlation", "--seed", "1", "--json", tmp_path / "here.json")

    there, ours = result(out / "result.json"), result(tmp_path / "here.json")
    for part in ("fingerprint", "systems", "correlations", "tables"):
        assert ours[part] == there[part], f"{part} differs between here and elsewhere"
    the_plan_was_kept()
    temperature_is_what_a_second_implementation_says(ours)


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


def temperature_is_what_a_second_implementation_says(found: dict) -> None:
    """No value is published at this temperature."""
    metrics = {row["system"]: row["metrics"] for row in found["systems"]}
    dataset = Dataset.objects.get(slug="chaosnli-snli")
    heated = dataset.systems.filter(method="temperature 2")
    assert sorted(system.name for system in heated) == HEATED
    for system in heated:
        distances = jensenshannon(dataset.gold, np.asarray(system.predictions), axis=1, base=2)
        assert metrics[system.name]["po_jsd"]["value"] == pytest.approx(1 - np.mean(distances**2), abs=1e-9)
        plain = dataset.systems.get(method="", run=system.run)
        assert np.abs(system.predictions.argmax(axis=1) - plain.predictions.argmax(axis=1)).max() == 0
