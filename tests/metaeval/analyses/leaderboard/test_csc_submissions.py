"""CSC's submissions have seven bins, and its scale six points: each task is scored as by the organisers."""

import json

import numpy as np
import pytest
from django.core.management import call_command

from annotations.models import Dataset
from metaeval.analyses.inputs.gathering import Subject, gather_dataset
from tests.metaeval.golden_runs import stored_result

pytestmark = [pytest.mark.django_db, pytest.mark.shared_data]


def organisers_distance(gold, predicted):
    """The mean Wasserstein distance of rows of seven bins."""
    return float(np.abs(gold.cumsum(axis=1) - predicted.cumsum(axis=1)).sum(axis=1).mean())


@pytest.fixture
def scored(shared_data, tmp_path):
    """The scores of a submission to both tasks in which bin 0 has a share everywhere."""
    path = shared_data / "lewidi2025" / "CSC_dev.json"
    call_command("import_dataset", "csc", str(path), verbosity=0)
    items = json.loads(path.read_text())
    rng = np.random.default_rng(5)
    bins = rng.dirichlet(np.ones(7), len(items))
    answers = [rng.integers(1, 7, len(row["annotations"])) for row in items.values()]
    lists = {"soft": bins.tolist(), "pe": [row.tolist() for row in answers]}
    for task, rows in lists.items():
        file = tmp_path / f"Team_{task}.tsv"
        file.write_text("".join(f"{id_}\t{row}\n" for id_, row in zip(items, rows, strict=True)))
        call_command("import_predictions", "csc", str(file), verbosity=0)
    result = stored_result(
        Subject.of_datasets([Dataset.objects.get()]), "leaderboard", resamples=100, baselines=["random"]
    )
    right = [[int(label) for label in row["annotations"].values()] for row in items.values()]
    return result, bins, right, answers


def team(result, task):
    board = next(board for board in result["boards"] if board["task"] == task)
    return next(row for row in board["standings"][0]["systems"] if row["system"] == "Team")["score"]


def test_the_soft_task_counts_the_way_from_bin_0(scored):
    result, bins, _, _ = scored
    data = gather_dataset(Dataset.objects.get())
    assert data.labels == ("1", "2", "3", "4", "5", "6")
    seven = np.column_stack([np.zeros(len(data.P)), data.P])
    assert team(result, "soft") == pytest.approx(organisers_distance(seven, bins), abs=1e-12)
    assert any("gives a point below the scale" in note for note in result["notes"])


def test_the_divisor_of_the_perspectivist_task_stays_six(scored):
    result, _, right, answers = scored
    expected = np.mean([np.abs(np.subtract(a, b)).mean() / 6 for a, b in zip(right, answers, strict=True)])
    assert team(result, "perspectivist") == pytest.approx(expected, abs=1e-12)
