"""LeWiDi-2025's Paraphrase from the real files: import command, stored run, result."""

import json
from itertools import pairwise

import numpy as np
import pytest
from django.core.management import call_command

from annotations.models import Dataset
from metaeval.analyses.inputs.gathering import Subject, gather_dataset
from tests.metaeval.golden_runs import stored_result

pytestmark = [pytest.mark.django_db, pytest.mark.shared_data]

MOST_FREQUENT = "Baseline: most frequent"
SCALE = [str(point) for point in range(-5, 6)]


@pytest.fixture
def reference(golden):
    found = json.loads((golden / "lewidi2025_par.json").read_text())
    return found | {"values": {entry["name"]: entry["value"] for entry in found["entries"]}}


@pytest.fixture
def par(shared_data, db):
    """The three splits, each a dataset."""
    for split in ("train", "dev", "test"):
        path = shared_data / "lewidi2025" / f"Paraphrase_{split}.json"
        call_command("import_dataset", f"par-{split}", str(path), verbosity=0)
    return lambda *slugs: [Dataset.objects.get(slug=slug) for slug in slugs]


def stored(datasets, **parameters):
    parameters = {"resamples": 100, "training": ["par-train"], **parameters}
    return stored_result(Subject.of_datasets(datasets), "leaderboard", **parameters)


def score(result, task, slug, system=MOST_FREQUENT):
    standings = next(board for board in result["boards"] if board["task"] == task)["standings"]
    rows = next(standing for standing in standings if standing["dataset"] == slug)["systems"]
    return next(row for row in rows if row["system"] == system)


def test_the_most_frequent_baselines_score_as_published(par, reference):
    values = reference["values"]
    datasets = par("par-train", "par-dev", "par-test")
    result = stored(datasets, items=True)
    by_range = stored(datasets, divisor="range", tasks=["perspectivist"])
    items = {
        (row["dataset"], row["instance"]): row["score"]
        for table in result["tables"]
        if table["name"] == "items"
        for row in table["rows"]
        if row["task"] == "soft" and row["system"] == MOST_FREQUENT
    }
    for split in ("dev", "test"):
        soft = score(result, "soft", f"par-{split}")["score"]
        expected = values[f"Par.taskA.mostfreq.{split}.soft_recomputed_from_annotations"]
        assert soft == pytest.approx(expected, abs=1e-12)
        for found, S in ((result, 11), (by_range, 10)):
            single = score(found, "perspectivist", f"par-{split}")["score"]
            expected = values[f"Par.taskB.mostfreq_per_annotator.{split}.divisor{S}"]
            assert single == pytest.approx(expected, abs=1e-12)
        for item, expected in reference["per_item_first5"][f"Par.taskA.{split}"].items():
            assert items[f"par-{split}", item] == pytest.approx(expected, abs=1e-12)
    assert {standing["items"] for board in result["boards"] for standing in board["standings"]} == {50}


def test_soft_labels_as_they_stand_in_the_files_give_the_same(par, reference, shared_data, tmp_path):
    for split in ("dev", "test"):
        items = json.loads((shared_data / "lewidi2025" / f"Paraphrase_{split}.json").read_text())
        lines = ["instance,label,probability"]
        for key, item in items.items():
            in_file = {str(int(float(label))): share for label, share in item["soft_label"].items()}
            lines += [f"{key},{label},{float(in_file.get(label, 0.0))!r}" for label in SCALE]
        path = tmp_path / f"{split}.csv"
        path.write_text("\n".join(lines) + "\n")
        options = {"task": "ordinal", "labels": ";".join(SCALE), "format": "table"}
        call_command("import_dataset", f"par-{split}-file", str(path), verbosity=0, **options)
    result = stored(par("par-train", "par-dev-file", "par-test-file"), tasks=["soft"])
    for split in ("dev", "test"):
        expected = reference["values"][f"Par.taskA.mostfreq.{split}.soft_label_as_in_file"]
        assert score(result, "soft", f"par-{split}-file")["score"] == pytest.approx(expected, abs=1e-12)


def test_submissions_as_files_are_ranked_in_both_tasks(par, tmp_path):
    """One team knows the answers, one is slightly off, one submits only to the soft task."""
    (dev,) = par("par-dev")
    inputs = gather_dataset(dev)
    found, rng = inputs.annotations, np.random.default_rng(1)
    points = np.array(inputs.values, dtype=int)
    starts = np.concatenate([[0], np.cumsum(np.bincount(found.item))])
    near = np.clip(points[found.label] + rng.integers(0, 2, len(found.label)), -5, 5)
    files = {
        "Knows": (inputs.P, points[found.label]),
        "Near": (0.9 * inputs.P + 0.1 / 11, near),
        "Flat": (np.full_like(inputs.P, 1 / 11), None),
    }
    for team, (Q, single) in files.items():
        rows = {"soft": Q.tolist()}
        if single is not None:
            rows["pe"] = [single[a:b].tolist() for a, b in pairwise(starts)]
        for task, lists in rows.items():
            path = tmp_path / f"{team}_{task}.tsv"
            path.write_text("".join(f"{key}\t{row}\n" for key, row in zip(inputs.instances, lists, strict=True)))
            call_command("import_predictions", "par-dev", str(path), model=team, verbosity=0)
    result = stored(par("par-train", "par-dev"))
    assert score(result, "soft", "par-dev", "Knows")["score"] == pytest.approx(0, abs=1e-12)
    assert score(result, "perspectivist", "par-dev", "Knows")["score"] == 0
    off = np.abs(near - points[found.label]).reshape(50, -1).mean(axis=1).mean() / 11
    assert score(result, "perspectivist", "par-dev", "Near")["score"] == pytest.approx(off)
    order = {
        board["task"]: [row["system"] for row in board["systems"] if not row["is_baseline"]]
        for board in result["boards"]
    }
    assert order == {"soft": ["Knows", "Near", "Flat"], "perspectivist": ["Knows", "Near"]}
