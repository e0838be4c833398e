"""The folder of targets: what is in it, that it is the same every time, and that it is whole or not there at all."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from metaeval.training.applying import DoesNotApply
from metaeval.training.handover import (
    COLUMNS,
    LABELS,
    MANIFEST,
    RESERVED,
    NotHandedOver,
    Origins,
    label_columns,
    read_handover,
    read_split,
    write_handover,
)
from metaeval.training.registry import methods
from metaeval.training.splits import given, k_folds, shares
from tests.metaeval.training.corpora import corpus

ORIGINS = Origins("small", "Small", "multiclass", "f" * 64)
PEOPLE = [[0, 1, 2]] * 10 + [[0, 1, 3]] * 10
SAID = [[(number % 2,), (number % 2,), (number // 2 % 2,)] for number in range(20)]
TWENTY = corpus(SAID, people=PEOPLE, withdrawn=[19])


def written(folder, *, method="SL", of=TWENTY, split=None):
    split = k_folds(of, 3) if split is None else split
    write_handover(folder, corpus=of, split=split, method=methods.get(method), dataset=ORIGINS)
    return split, {name: pq.read_table(folder / name).to_pylist() for name in COLUMNS}


@pytest.mark.parametrize("method", methods.names())
def test_the_tables_hold_the_targets_of_every_fold_and_nothing_of_other_texts(tmp_path, method):
    split, tables = written(tmp_path / "out", method=method)
    columns = label_columns(TWENTY.judgements.labels)
    for number, fold in enumerate(split):
        for part, learnt in (("search", fold.train), ("final", np.sort(np.concatenate([fold.train, fold.dev])))):
            targets = methods.get(method).targets(TWENTY.judgements.of(learnt))
            examples = [row for row in tables["examples.parquet"] if (row["fold"], row["part"]) == (number, part)]
            rows = [row for row in tables["rows.parquet"] if (row["fold"], row["part"]) == (number, part)]
            assert [row["example"] for row in examples] == list(range(len(targets)))
            assert [row["instance"] for row in examples] == [TWENTY.ids[learnt[i]] for i in targets.instance]
            assert [row["weight"] for row in examples] == targets.weight.tolist()
            assert [row["times"] for row in examples] == targets.times.tolist()
            assert [row["example"] for row in rows] == targets.example.tolist()
            assert [row["head"] for row in rows] == [targets.heads[head] for head in targets.head]
            assert [[row[column] for column in columns] for row in rows] == targets.value.tolist()


def test_texts_that_no_fold_uses_and_judgements_of_given_test_texts_stay_here(tmp_path):
    of = corpus(SAID, people=PEOPLE, withdrawn=[19], given=["train"] * 12 + ["dev"] * 4 + ["test"] * 4)
    split, tables = written(tmp_path / "out", of=of, split=given(of))
    assert [row["instance"] for row in tables["instances.parquet"]] == list(of.ids[:19])
    assert [row["part"] for row in tables["folds.parquet"]] == ["train"] * 12 + ["dev"] * 4 + ["test"] * 3
    judged = {row["instance"] for name in ("examples.parquet", "development.parquet") for row in tables[name]}
    assert judged == set(of.ids[:16])
    assert {row["part"] for row in tables["examples.parquet"]} == {"search"}
    assert [[row["no"], row["yes"]] for row in tables["development.parquet"]] == of.judgements.shares[12:16].tolist()
    assert "The development part, if there is one" in json.loads((tmp_path / "out" / MANIFEST).read_text())["learning"]
    assert split.twins == 0


def test_the_same_targets_are_the_same_bytes(tmp_path):
    written(tmp_path / "one", method="AR")
    written(tmp_path / "two", method="AR")
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == sorted([*COLUMNS, MANIFEST])
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_manifest_names_every_column_and_what_comes_back(tmp_path):
    _, tables = written(tmp_path / "out", method="AE")
    stated = json.loads((tmp_path / "out" / MANIFEST).read_text())
    for name, rows in tables.items():
        told = [column for column in stated["files"][name]["columns"] if column != LABELS]
        assert list(rows[0]) == told + (stated["label_columns"] if len(told) < len(rows[0]) else [])
    assert stated["loss"] == methods.get("AE").objective
    assert stated["prediction"] == methods.get("AE").prediction
    assert "head" in stated["predictions"]["columns"]
    assert [part["heads"] for part in stated["parts"]] == [["ann-0", "ann-1", "ann-2", "ann-3"]] * 6
    assert all(method.objective and "does not say" not in method.objective for method in methods)


def test_labels_that_are_called_like_other_columns_have_columns_of_their_own(tmp_path):
    labels = ("head", "label head")
    assert label_columns(labels) == ("label head", "label label head")
    assert len(set(label_columns([*RESERVED, *label_columns(RESERVED)]))) == 2 * len(RESERVED)
    assert len(set(label_columns(["head", "label head", "label label head", "label label label head"]))) == 4
    of = corpus(SAID, labels=labels)
    _, tables = written(tmp_path / "out", of=of, split=shares(of))
    assert tables["rows.parquet"][0]["head"] == ""
    assert read_handover(tmp_path / "out").columns == label_columns(labels)


def test_what_is_read_is_what_was_written(tmp_path):
    split, _ = written(tmp_path / "out", method="AE", split=k_folds(TWENTY, 3, seed=5, stratify=True))
    handover = read_handover(tmp_path / "out")
    assert (handover.method, handover.predicts_from_all, handover.dataset["slug"]) == ("AE", True, "small")
    again = read_split(tmp_path / "out", handover, TWENTY.ids)
    assert again.stated() == split.stated()
    assert (again.parts == split.parts).all()


def test_a_method_that_does_not_apply_in_a_fold_leaves_no_folder(tmp_path):
    unknown = corpus(SAID)
    with pytest.raises(DoesNotApply, match="Fold 1: AE "):
        written(tmp_path / "out", method="AE", of=unknown)
    assert list(tmp_path.iterdir()) == []


FULL = "No space left on device"


def test_a_failure_in_the_middle_leaves_no_folder(tmp_path):
    def full(done, _total, _message):
        if done == 3:
            raise OSError(28, FULL)

    with pytest.raises(NotHandedOver, match=f"out .*{FULL}"):
        write_handover(
            tmp_path / "out",
            corpus=TWENTY,
            split=k_folds(TWENTY, 3),
            method=methods.get("SL"),
            dataset=ORIGINS,
            progress=full,
        )
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_is_there_is_overwritten(tmp_path):
    (tmp_path / "mine.txt").write_text("notes")
    with pytest.raises(NotHandedOver, match="not an empty folder"):
        written(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "notes"
    (tmp_path / "empty").mkdir()
    written(tmp_path / "empty")


class TestDamage:
    @pytest.fixture
    def folder(self, tmp_path):
        written(tmp_path / "out")
        return tmp_path / "out"

    def test_no_manifest(self, tmp_path):
        with pytest.raises(NotHandedOver, match=r"targets\.json .*\bmake_targets\b"):
            read_handover(tmp_path)

    @pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "hlv-training-targets", "version": 1}', "[" * 999])
    def test_a_manifest_that_is_none(self, folder, content):
        (folder / MANIFEST).write_text(content)
        with pytest.raises(NotHandedOver, match=r"targets\.json .*damaged"):
            read_handover(folder)

    def test_a_manifest_of_another_version(self, folder):
        stated = json.loads((folder / MANIFEST).read_text())
        (folder / MANIFEST).write_text(json.dumps(stated | {"version": 2}))
        with pytest.raises(NotHandedOver, match="of another version"):
            read_handover(folder)

    def test_another_split_than_the_manifest_states(self, folder, tmp_path):
        written(tmp_path / "other", split=k_folds(TWENTY, 3, seed=1))
        (tmp_path / "other" / "folds.parquet").replace(folder / "folds.parquet")
        with pytest.raises(NotHandedOver, match=r"\bsplit .*targets\.json"):
            read_split(folder, read_handover(folder), TWENTY.ids)

    def test_an_instance_that_was_erased(self, folder):
        ids = ("erased-0", *TWENTY.ids[1:])
        with pytest.raises(NotHandedOver, match="'item-0'"):
            read_split(folder, read_handover(folder), ids)

    @pytest.mark.parametrize("content", [b"", b"PAR1 and so on"])
    def test_a_table_of_folds_that_is_none(self, folder, content):
        (folder / "folds.parquet").write_bytes(content)
        with pytest.raises(NotHandedOver, match="cannot be read as a table of folds"):
            read_split(folder, read_handover(folder), TWENTY.ids)
