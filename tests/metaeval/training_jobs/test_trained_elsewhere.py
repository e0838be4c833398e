"""A trainer that knows nothing but the folder of targets: what it predicts comes back as systems, or is refused."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.importing.datasets import import_dataset
from annotations.importing.memory.problems import ImportRefused
from annotations.importing.reading.files import SourceFile
from annotations.importing.writing.datasets import OtherContent
from annotations.models import Dataset, Event, PredictedAnnotations, System
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute
from metaeval.training.handover import NotHandedOver
from metaeval.training_jobs.trained_elsewhere import OtherData, import_trained, make_targets
from tests.metaeval.datasets import LABELS, annotated_dataset

pytestmark = pytest.mark.django_db


def table(folder, name):
    return pq.read_table(folder / name).to_pylist()


def a_trainer_of_their_own(folder, *, runs=("1",), model="theirs", change=lambda rows: rows):
    """Predicts each label's mean target, a little different for each run; reads and writes nothing but the folder."""
    stated = json.loads((folder / "targets.json").read_text())
    columns, everywhere = stated["label_columns"], stated["predicts_from_all_heads"]
    predicted = []
    for fold in range(stated["split"]["folds"]):
        part = "final" if stated["split"]["final_learns_from_dev"] else "search"
        learnt = [row for row in table(folder, "rows.parquet") if (row["fold"], row["part"]) == (fold, part)]
        heads = next(one["heads"] for one in stated["parts"] if (one["fold"], one["part"]) == (fold, part))
        tested = [
            row["instance"] for row in table(folder, "folds.parquet") if (row["fold"], row["part"]) == (fold, "test")
        ]
        for head in heads if everywhere else heads[:1]:
            rows = [row for row in learnt if row["head"] == head]
            mean = np.mean([[row[column] for column in columns] for row in rows], axis=0)
            for run in runs:
                q = mean + 0.01 * int(run)
                q = np.clip(q, 0, 1) if stated["task"] == "multilabel" else q / q.sum()
                about = {"model": model, "run": run, "fold": fold} | ({"head": head} if everywhere else {})
                values = dict(zip(columns, q.tolist(), strict=True))
                predicted += [about | {"instance": instance} | values for instance in tested]
    pq.write_table(pa.Table.from_pylist(change(predicted)), folder / "predictions.parquet")
    return predicted


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "targets"


@pytest.fixture
def dataset(db):
    return annotated_dataset(systems=0)


def test_each_run_becomes_a_system_of_all_folds_with_its_provenance(dataset, folder):
    split = make_targets(dataset, folder, method="SL", folds=4)
    predicted = a_trainer_of_their_own(folder, runs=("1", "2"))
    (folder / "training.json").write_text('{"encoder": "theirs", "epochs": 3}')
    written, notes = import_trained(dataset, folder)
    assert (written.added, notes) == (("theirs / SL / 1", "theirs / SL / 2"), [])
    ids = list(dataset.instances.order_by("position").values_list("external_id", flat=True))
    for system in System.objects.order_by("run"):
        expected = np.full((20, 3), np.nan)
        for row in predicted:
            if row["run"] == system.run:
                expected[ids.index(row["instance"])] = [row[label] for label in LABELS]
        np.testing.assert_allclose(system.predictions, expected, rtol=1e-15)
        told = system.options["training"]
        assert (told["method"], told["data"], told["split"]) == ("SL", dataset.fingerprint, split.stated())
        assert told["stated"] == {"encoder": "theirs", "epochs": 3}
        assert set(told["versions"]) == {"numpy", "pyarrow"}
    assert import_trained(dataset, folder)[0].added == ()
    assert Event.objects.filter(kind="imported", data__what="predictions").count() == 1


@pytest.mark.parametrize(("method", "task"), [("AE", "multiclass"), ("AEh", "multiclass"), ("AE", "multilabel")])
def test_heads_become_predicted_annotators_that_a_leaderboard_scores(folder, method, task):
    dataset = annotated_dataset(task=task, systems=0)
    make_targets(dataset, folder, method=method, folds=4)
    predicted = a_trainer_of_their_own(folder)
    assert import_trained(dataset, folder)[0].added == (
        f"theirs / {method} / 1",
        f"theirs / {method} / 1 (single annotations)",
    )
    heads = {}
    for row in predicted:
        heads.setdefault(row["instance"], []).append([row[label] for label in LABELS])
    votes = {name: _votes(np.array(q), task) for name, q in heads.items()}
    ids = list(dataset.instances.order_by("position").values_list("external_id", flat=True))
    expected = [(votes if method == "AEh" else heads)[name] for name in ids]
    np.testing.assert_allclose(System.objects.get().predictions, np.mean(expected, axis=1), rtol=1e-14)
    answers = PredictedAnnotations.objects.get().answers
    np.testing.assert_array_equal(answers, np.concatenate([votes[name] for name in ids]))
    result = compute(
        subject=Subject.of_dataset(dataset),
        analysis="leaderboard",
        parameters={"tasks": ["perspectivist"], "resamples": 100},
        seed=1,
        progress=lambda *_: None,
    )
    [board] = result["boards"]
    assert f"theirs / {method} / 1" in {row["system"] for row in board["systems"]}


def _votes(q, task):
    return (q > 0.5).astype(float) if task == "multilabel" else np.eye(q.shape[1])[q.argmax(axis=1)]


def test_texts_outside_the_test_part_have_no_prediction_and_it_is_said(folder):
    dataset = annotated_dataset(systems=0)
    make_targets(dataset, folder, method="AE", kind="shares")
    a_trainer_of_their_own(folder)
    _, notes = import_trained(dataset, folder)
    assert System.objects.get().missing == 18
    assert PredictedAnnotations.objects.get().options["missing"] == 90
    assert [note.partition(". ")[0] for note in notes] == [
        "theirs / AE / 1 has no predictions for 18 of 20 instances",
        "theirs / AE / 1 does not predict 90 of 100 single annotations",
    ]


def test_an_import_takes_the_same_queries_however_large_it_is(tmp_path):
    counts = []
    for items in (12, 48):
        dataset = annotated_dataset(f"of-{items}", items=items, systems=0)
        make_targets(dataset, tmp_path / str(items), method="AE", folds=4)
        a_trainer_of_their_own(tmp_path / str(items))
        with CaptureQueriesContext(connection) as queries:
            import_trained(dataset, tmp_path / str(items))
        counts.append(len(queries))
    assert counts[0] == counts[1] < 25


def test_a_dry_run_reads_everything_and_writes_nothing(dataset, folder):
    make_targets(dataset, folder, method="SL", folds=4)
    a_trainer_of_their_own(folder)
    assert import_trained(dataset, folder, dry_run=True)[0].added == ("theirs / SL / 1",)
    assert not System.objects.exists()
    assert not Event.objects.filter(data__what="predictions").exists()


def test_predictions_of_another_dataset_are_refused(dataset, folder):
    make_targets(dataset, folder, method="SL", folds=4)
    a_trainer_of_their_own(folder)
    other = annotated_dataset("other", systems=0, seed=4)
    with pytest.raises(OtherData, match=r"'nli' .*'other' "):
        import_trained(other, folder)


def test_other_predictions_of_the_same_run_are_refused(dataset, folder, tmp_path):
    make_targets(dataset, folder, method="SL", folds=4)
    a_trainer_of_their_own(folder)
    import_trained(dataset, folder)
    a_trainer_of_their_own(
        folder, change=lambda rows: [row | dict(zip(LABELS, (1, 0, 0), strict=True)) for row in rows]
    )
    with pytest.raises(OtherContent, match="theirs / SL / 1"):
        import_trained(dataset, folder)
    assert import_trained(dataset, folder, replace=True)[0].added == ("theirs / SL / 1",)


def first(**changes):
    return lambda rows: [rows[0] | changes, *rows[1:]]


def test_an_index_that_pandas_has_added_is_no_column(dataset, folder):
    make_targets(dataset, folder, method="SL", folds=4)
    a_trainer_of_their_own(
        folder, change=lambda rows: [{**row, "__index_level_0__": place} for place, row in enumerate(rows)]
    )
    assert import_trained(dataset, folder)[0].added == ("theirs / SL / 1",)


def without(column):
    return lambda rows: [{name: value for name, value in row.items() if name != column} for row in rows]


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        (lambda rows: rows[1:], (None, "instance"), "theirs / 1 lacks 1 of 20 predictions"),
        (lambda rows: [*rows, rows[3]], (21, "instance"), "this was predicted in a row above"),
        (first(instance="nobody"), (1, "instance"), "the instance is not in the dataset"),
        (first(fold=1), (1, "instance"), "the instance is not in the test part of its fold"),
        (first(fold=4), (1, "fold"), "the fold is unknown"),
        (first(neutral=1.5), (1, "neutral"), "this is not a number in [0, 1]"),
        (first(neutral=None), (1, "neutral"), "this is not a number in [0, 1]"),
        (first(neutral=0.9, entailment=0.9), (1, ", ".join(LABELS)), "the probabilities do not sum to 1"),
        (first(run=""), (1, "run"), "the run's name is missing"),
        (first(model="x" * 101), (1, "model"), "the model's name is longer than 100 characters"),
        (without("neutral"), (None, ""), "there is no column 'neutral'"),
        (without("run"), (None, ""), "there is no column 'run'"),
        (without("model"), (None, "model"), "it is said nowhere what the model is called"),
        (first(score=1), (None, "score"), "the column is unknown"),
        (first(head="p0"), (1, "head"), "the prediction is made from the first output layer alone"),
    ],
)
def test_a_wrong_row_is_refused_with_its_place(dataset, folder, change, place, reason):
    line, field = place
    make_targets(dataset, folder, method="SL", folds=4)
    a_trainer_of_their_own(folder, change=change)
    with pytest.raises(ImportRefused) as caught:
        import_trained(dataset, folder)
    [problem] = [one for one in caught.value.data["problems"] if one["line"] == line][:1]
    assert (problem["file"], problem["field"], problem["reason"]) == ("predictions.parquet", field, reason)
    assert problem["remedy"]
    assert not System.objects.exists()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (first(head="p9"), "the fold's model has no output layer of this name"),
        (lambda rows: [row for row in rows if row["head"] != "p2"], "theirs / 1 lacks 20 of 100 predictions"),
        (without("head"), "there is no column 'head'"),
    ],
)
def test_an_ensemble_needs_all_of_its_heads(dataset, folder, change, reason):
    make_targets(dataset, folder, method="AE", folds=4)
    a_trainer_of_their_own(folder, change=change)
    with pytest.raises(ImportRefused) as caught:
        import_trained(dataset, folder)
    assert caught.value.data["problems"][0]["reason"] == reason


def test_the_only_head_may_be_named_or_left_empty(dataset, folder):
    make_targets(dataset, folder, method="SLMV", folds=4)
    a_trainer_of_their_own(folder, change=lambda rows: [row | {"head": "soft labels"} for row in rows[:5]] + rows[5:])
    assert import_trained(dataset, folder)[0].added == ("theirs / SLMV / 1",)


def test_a_statement_is_an_object(dataset, folder):
    make_targets(dataset, folder, method="SL", folds=4)
    a_trainer_of_their_own(folder)
    for content, why in (("[1]", "is not a JSON object"), ("{" + " " * 70_000 + "}", "State less")):
        (folder / "training.json").write_text(content)
        with pytest.raises(NotHandedOver, match=why):
            import_trained(dataset, folder)


class TestCommands:
    def test_targets_and_predictions_go_out_and_come_back(self, dataset, folder, capsys):
        call_command("make_targets", "nli", "--method", "MV", "--out", str(folder), "--folds", "4", "--stratify")
        assert "Fold 0: 13 texts for training, 2 for development, 5 to be predicted." in capsys.readouterr().out
        a_trainer_of_their_own(folder, change=without("model"))
        call_command("import_trained", "nli", str(folder), "--model", "ours", "--dry-run")
        assert "Dry run: nothing was written. This would be imported: ours / MV / 1." in capsys.readouterr().out
        call_command("import_trained", "nli", str(folder), "--model", "ours")
        assert capsys.readouterr().out == "Imported: ours / MV / 1.\n"
        call_command("import_trained", "nli", str(folder), "--model", "ours")
        assert capsys.readouterr().out == "Already there, unchanged: ours / MV / 1.\n"

    def test_problems_are_listed_and_counted(self, dataset, folder, capsys):
        call_command("make_targets", "nli", "--method", "MV", "--out", str(folder), "--folds", "4")
        a_trainer_of_their_own(folder, change=lambda rows: [*rows, *rows[:3]])
        with pytest.raises(CommandError, match=r"\b3 problems"):
            call_command("import_trained", "nli", str(folder))
        assert capsys.readouterr().err.count("this was predicted in a row above") == 3

    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            (["none", "--method", "MV"], "There is no dataset 'none'"),
            (["nli", "--method", "MV", "--split", "given"], "do not say which texts are for training"),
            (["nli", "--method", "MV", "--folds", "21"], "fewer than the 21 folds"),
        ],
    )
    def test_what_cannot_be_made_is_one_sentence(self, dataset, folder, arguments, why):
        with pytest.raises(CommandError, match=why):
            call_command("make_targets", *arguments, "--out", str(folder))
        assert not folder.exists()


@pytest.mark.shared_data
@pytest.mark.parametrize(("name", "test", "answers"), [("HS-Brexit", 168, 168 * 6), ("ArMIS", 145, 145 * 3)])
def test_the_published_splits_go_out_and_come_back(shared_data, folder, name, test, answers):
    files = [SourceFile.at(shared_data / "lewidi2023" / f"{name}_{part}.json") for part in ("train", "dev", "test")]
    import_dataset(files=files, slug="published")
    dataset = Dataset.objects.get(slug="published")
    split = make_targets(dataset, folder, method="AE")
    assert (split.kind, split.twins, len(split[0].test)) == ("given", 0, test)
    instances = {row["instance"] for row in table(folder, "examples.parquet")}
    assert all(instance.startswith("train/") for instance in instances)
    a_trainer_of_their_own(folder)
    import_trained(dataset, folder)
    system, single = System.objects.get(), PredictedAnnotations.objects.get()
    assert np.isfinite(system.predictions).all(axis=1).sum() == test
    assert np.isfinite(single.answers).all(axis=1).sum() == answers
    assert split.stated() == system.options["training"]["split"] == single.options["training"]["split"]
