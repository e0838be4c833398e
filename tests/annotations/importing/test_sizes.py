"""Small files that ask for very much memory are refused before it is allocated, with what they would need."""

import io
import json
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotations.importing.checking import sizes
from annotations.importing.datasets import import_dataset
from annotations.importing.memory.limits import MAX_LABELS
from annotations.importing.memory.tables import AnnotationTable
from annotations.importing.reading import documents
from tests.annotations.importing.test_chaosnli import item
from tests.annotations.importing.test_chaosnli_models import GOOD
from tests.worlds.datasets import make_dataset

pytestmark = pytest.mark.django_db
MB = 1 << 20


@pytest.fixture
def little_room(monkeypatch):
    """Only a kilobyte for a matrix or a table, so that the tests need no large files."""
    monkeypatch.setattr(sizes, "MAX_MATRIX_BYTES", 1 << 10)
    monkeypatch.setattr(sizes, "MAX_TABLE_BYTES", 1 << 10)


def test_four_megabytes_of_annotations_do_not_get_fifteen_gigabytes(write, monkeypatch):
    rows = 200_000
    text = "instance,annotator,label\n" + "".join(f"{n},p,l{n % MAX_LABELS}\n" for n in range(rows))
    file = write("votes.csv", text)
    assert file.size < 4 * MB
    monkeypatch.setattr(AnnotationTable, "distributions", None)  # never called
    tracemalloc.start()
    report = import_dataset(files=[file], slug="bad", options={"task": "multilabel"}, dry_run=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    (problem,) = report.problems
    assert problem["file"] == "votes.csv"
    assert problem["reason"][:33] == "200,000 instances x 10,000 labels"
    assert problem["value"].split(" MB")[0] == "15,258"
    assert problem["remedy"].startswith("Check that the labels are labels")
    assert peak < 300 * MB


def test_annotations_are_refused_in_an_import_and_in_a_dry_run(refused, write, little_room):
    rows = "".join(f"i{n},p,l{n}\n" for n in range(12))
    (problem,) = refused(write("votes.csv", "instance,annotator,label\n" + rows), task="multiclass")
    assert problem["reason"][:24] == "12 instances x 12 labels"


def test_counted_judgements_of_every_format_are_refused(refused, write, little_room):
    rows = "".join(json.dumps(item(f"i{n}", {"e": 100})) + "\n" for n in range(60))
    (problem,) = refused(write("chaosNLI_snli.jsonl", rows))
    assert problem["reason"][:23] == "60 instances x 3 labels"


def test_a_grid_of_distributions_names_its_file(refused, write, little_room):
    rows = "".join(f"i{n},l{n},1\n" for n in range(12))
    (problem,) = refused(write("shares.csv", "instance,label,probability\n" + rows))
    assert (problem["file"], "1 systems x 12 instances x 12 labels" in problem["reason"]) == ("shares.csv", True)


def test_predictions_of_many_systems_are_refused_before_there_are_matrices_of_them(
    refused_predictions, write, little_room
):
    dataset = make_dataset(instances=6, labels=4)
    rows = "".join(f"system {n},external-0,Label z,0.5\n" for n in range(6))
    problems = refused_predictions(dataset, write("all.csv", "system,instance,label,probability\n" + rows))
    assert problems[0]["reason"][:34] == "6 systems x 6 instances x 4 labels"
    content = io.BytesIO()
    np.savez_compressed(content, **{f"m{n}": np.zeros((6, 4)) for n in range(6)})
    problems = refused_predictions(dataset, write("all.npz", content.getvalue()))
    assert problems[0]["reason"][:34] == "6 systems x 6 instances x 4 labels"


def test_models_of_one_document_are_refused_before_there_are_matrices_of_them(
    bring, refused_predictions, write, little_room
):
    rows = "".join(json.dumps(item(f"i{n}", {"e": 50, "n": 30, "c": 20})) + "\n" for n in range(8))
    dataset = bring(write("snli.jsonl", rows))
    models = {f"model {n}": {"i0": GOOD["roberta"]["a"] | {"uid": "i0"}} for n in range(6)}
    problems = refused_predictions(dataset, write("models.json", json.dumps(models)))
    assert problems[0]["reason"][:34] == "6 systems x 8 instances x 3 labels"


def test_lines_that_all_have_other_keys_do_not_become_a_table_of_their_square(refused, write, little_room):
    rows = "".join(json.dumps({"instance": f"i{n}", f"l{n}": 1.0}) + "\n" for n in range(20))
    (problem,) = refused(write("shares.jsonl", rows))
    assert problem["reason"].startswith("the table would take more than")
    assert problem["value"] == "20 rows, 21 columns"


def test_lines_with_more_keys_than_the_first_are_read(bring, write):
    rows = [{"instance": "a", "no": 0.25, "yes": 0.75}, {"instance": "b", "no": 1, "yes": 0, "text": "later"}]
    dataset = bring(write("shares.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))
    assert dataset.gold.tolist() == [[0.25, 0.75], [1, 0]]


def test_lists_packed_into_a_parquet_file_are_counted_before_they_are_unpacked(refused, write, little_room):
    content = io.BytesIO()
    table = pa.table({"instance": ["a"], "label": ["x"], "segments": [["same"] * 1_000]})
    pq.write_table(table, content)
    (problem,) = refused(write("shares.parquet", content.getvalue()))
    assert problem["reason"].startswith("the table would take more than")


def test_a_table_of_records_is_counted_as_the_objects_it_becomes(write, little_room):
    file = write("export.csv", "id,text,label\n" + "".join(f"{n},x,Yes\n" for n in range(10)))
    (problem,) = import_dataset(files=[file], slug="bad", format_name="doccano", dry_run=True).problems
    assert problem["reason"].startswith("the table would take more than")


def test_a_label_list_is_no_longer_than_a_document_may_be(refused, write, monkeypatch):
    monkeypatch.setattr(documents, "MAX_DOCUMENT_BYTES", 10)
    votes = write("votes.csv", "instance,annotator,label\na,p,x\n")
    (problem,) = refused(votes, write("labels.json", json.dumps(["x", "y", "z"])))
    assert problem["file"] == "labels.json"
    assert problem["reason"].startswith("the document has more than")
