"""Real input, end to end, by the commands that the README shows: ChaosNLI-SNLI in, the field's table out.

Everything is done twice: here, in the test database, and elsewhere, in a fresh SQLite database, to which only the
published files and the exported responses travel.
"""

import json
import os
import subprocess
import sys
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from django.db.models import Count
from scipy.spatial.distance import jensenshannon

from annotations.models import Assignment, Dataset, Study
from tests.conftest import ROOT

# What the golden file calls the six metrics of a multiclass task.
GOLDEN_NAMES = {
    "accuracy": "hard_accuracy",
    "macro_f1": "hard_macro_f1",
    "soft_accuracy": "soft_accuracy",
    "soft_macro_f1": "soft_macro_f1",
    "po_jsd": "po_jsd_base2",
    "entropy_correlation": "entropy_correlation",
}
PLAIN = {f"roberta-base / {seed}": f"ChaosNLI-SNLI.roberta-base.seed{seed}" for seed in range(3)}
HEATED = [f"roberta-base / temperature 2 / {seed}" for seed in range(3)]


def bring_in(folder):
    """The commands that import dataset and predictions."""
    predictions = sorted(str(path) for path in folder.glob("SNLI_*_roberta-base_*.json"))
    return [
        ["import_dataset", "chaosnli-snli", str(folder / "chaosNLI_snli.jsonl"), "--title", "ChaosNLI-SNLI"],
        ["import_predictions", "chaosnli-snli", *predictions],
        ["import_predictions", "chaosnli-snli", *predictions, "--temperature", "2.0"],
    ]


PLAN = [
    *("plan_study", "snli", "--dataset", "chaosnli-snli", "--title", "Which metric for ChaosNLI?"),
    *("--instances-per-system", "28", "--experts-per-comparison", "4", "--assigning", "open_pool"),
    *("--seed", "1", "--apply"),
]
ANALYSE = ["analyse", "snli", "preference_correlation", "--seed", "1"]


def here(*command):
    out = StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


@pytest.fixture
def elsewhere(tmp_path):
    """Run a command as somebody else would: in a process and a database of its own."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'elsewhere.sqlite3'}",
    }

    def run(*command):
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("migrate", "--verbosity", "0")
    return run


@pytest.mark.django_db
def test_published_predictions_are_judged_by_experts_exported_and_analysed_elsewhere(
    shared_data, golden, tmp_path, elsewhere
):
    for command in bring_in(shared_data / "chaosnli"):
        here(*command)
    here(*PLAN)
    here("move_study", "snli", "open")
    here("simulate_responses", "snli", "--experts", "8")
    the_plan_was_kept()
    here("export_responses", "snli", "--format", "study_responses", "--out", str(tmp_path / "responses"))
    here(*ANALYSE, "--json", str(tmp_path / "here.json"))

    for command in bring_in(shared_data / "chaosnli"):
        elsewhere(*command)
    elsewhere("import_responses", str(tmp_path / "responses"), "--dataset", "chaosnli-snli")
    printed = elsewhere(
        *ANALYSE,
        *("--json", str(tmp_path / "elsewhere.json")),
        *("--table", str(tmp_path / "table.csv")),
        *("--figure", str(tmp_path / "scatter.svg")),
    )

    result = json.loads((tmp_path / "elsewhere.json").read_text())
    the_metrics_are_the_published_ones(result, golden)
    assert result["is_simulated"] is True
    assert "Simulated data" in printed
    assert result["counts"] == {
        "systems": 6, "instances": 1514, "labels": 3, "responses": 672, "comparisons": 168, "experts": 8,
    }  # fmt: skip
    first = json.loads((tmp_path / "here.json").read_text())
    for part in ("fingerprint", "systems", "correlations", "tables"):
        assert result[part] == first[part], f"{part} differs between here and elsewhere"
    assert "<svg" in (tmp_path / "scatter.svg").read_text()[:500]
    assert len((tmp_path / "table.csv").read_text().splitlines()) > len(GOLDEN_NAMES)


def the_plan_was_kept():
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


def the_metrics_are_the_published_ones(result, golden):
    reference = json.loads((golden / "metrics_chaosnli_snli.json").read_text())["metrics"]
    found = {row["system"]: row["metrics"] for row in result["systems"]}
    assert set(found) == {*PLAIN, *HEATED}
    for system, name in PLAIN.items():
        for metric, published in GOLDEN_NAMES.items():
            assert found[system][metric]["value"] == pytest.approx(reference[name][published], abs=1e-9), (
                system,
                metric,
            )
    dataset = Dataset.objects.get(slug="chaosnli-snli")
    for system in dataset.systems.filter(method="temperature 2"):
        # No value is published at this temperature: a second implementation says what it must be.
        distances = jensenshannon(dataset.gold, np.asarray(system.predictions), axis=1, base=2)
        assert found[system.name]["po_jsd"]["value"] == pytest.approx(1 - np.mean(distances**2), abs=1e-9)
        plain = dataset.systems.get(method="", run=system.run)
        assert np.abs(system.predictions.argmax(axis=1) - plain.predictions.argmax(axis=1)).max() == 0
