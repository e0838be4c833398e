"""A row that sums to nearly 1 is stored as one that sums to 1, and the report says so."""

import io

import numpy as np
import pytest

from annotations.importing.checking import divided_by_sums
from annotations.importing.datasets import import_dataset, import_predictions
from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet, PredictionTable, SystemTable
from annotations.importing.writing.datasets import write_dataset
from annotations.importing.writing.predictions import write_predictions
from annotations.models import Dataset, System, Task
from metaeval.metrics import kl_divergence, soft_accuracy

NAMES = ("tax", "family", "rent")
ROUNDED = np.array([[0.333, 0.333, 0.333], [0.5, 0.25, 0.25], [0.3335, 0.333, 0.334]])
INSTANCES = "".join(f'{{"instance": "{name}", "text": "One."}}\n' for name in "abc")


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.fixture
def files(write):
    beside = [write("instances.jsonl", INSTANCES), write("labels.txt", "\n".join(NAMES) + "\n")]
    return lambda matrix: [write("gold.npy", npy(matrix)), *beside]


@pytest.fixture
def dataset(files, db):
    report = import_dataset(files=files(ROUNDED), slug="areas")
    return Dataset.objects.get(slug="areas"), report


def test_gold_is_divided_by_its_sums_and_the_report_says_so(dataset):
    stored, report = dataset
    said = "2 of 3 distributions did not sum to 1 (but to between 0.999 and 1.0005), and were divided by their sums."
    assert said in report.notes
    np.testing.assert_allclose(stored.gold, ROUNDED / ROUNDED.sum(axis=1, keepdims=True), rtol=1e-15)
    np.testing.assert_array_equal(stored.gold[1], ROUNDED[1])
    assert soft_accuracy(ROUNDED, ROUNDED) != pytest.approx(1, abs=1e-4)  # as it was stored before
    assert soft_accuracy(stored.gold, stored.gold) == pytest.approx(1, abs=1e-15)


def test_a_dry_run_says_the_same_and_the_same_file_is_the_same_content(dataset, files):
    _, report = dataset
    again = import_dataset(files=files(ROUNDED), slug="areas", dry_run=True)
    assert (again.changed, again.problem_count, again.fingerprint) == (False, 0, report.fingerprint)
    assert not import_dataset(files=files(ROUNDED), slug="areas").changed


def test_predictions_are_divided_and_the_same_file_is_there_already(dataset, write):
    stored, _ = dataset
    certain = np.array([[0.9991, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    report = import_predictions(files=[write("BERT.npy", npy(certain))], dataset=stored)
    assert any(note.startswith("BERT: 1 of 3 ") and "0.9991" in note for note in report.notes)
    Q = System.objects.get().predictions
    np.testing.assert_array_equal(Q, certain.round())
    assert float(kl_divergence(Q, Q)) == 0
    again = import_predictions(files=[write("BERT.npy", npy(certain))], dataset=stored)
    assert (again.changed, again.unchanged) == (False, ["BERT"])


def test_what_was_stored_as_it_stood_is_the_same_content_still(files, write, db):
    """By an earlier version: neither dataset nor predictions are refused as other content, or changed."""
    labels = LabelSet(NAMES, Task.MULTICLASS)
    rows = [InstanceRow(name, ()) for name in "abc"]
    before = import_dataset(files=files(ROUNDED), slug="other", dry_run=True)
    assert before.changed
    write_dataset(table=DatasetTable(labels, rows, gold=ROUNDED), slug="other", title="")
    stored = Dataset.objects.get(slug="other")
    write_predictions(dataset=stored, table=PredictionTable((SystemTable("BERT", ROUNDED),)))
    report = import_predictions(files=[write("BERT.npy", npy(ROUNDED))], dataset=stored)
    assert (report.changed, report.unchanged) == (False, ["BERT"])
    assert not any("divided" in note for note in report.notes)
    np.testing.assert_array_equal(System.objects.get().predictions, ROUNDED)


def test_sums_of_many_labels_need_not_be_one_and_numbers_of_seven_digits_stay(files, write, db):
    import_dataset(files=files(ROUNDED), slug="many", options={"task": "multilabel"})
    np.testing.assert_array_equal(Dataset.objects.get(slug="many").gold, ROUNDED)
    single = np.random.default_rng(1).dirichlet(np.ones(3), 50).astype(np.float32).astype(np.float64)
    assert (single.sum(axis=1) != 1).any()
    even, said = divided_by_sums(single)
    assert said == ""
    np.testing.assert_array_equal(even, single)


def test_a_row_that_is_no_distribution_is_left_to_the_check_that_refuses_it():
    wrong = np.array([[0.5, 0.4, 0.0], [np.nan, 0.5, 0.5]])
    np.testing.assert_array_equal(divided_by_sums(wrong)[0], wrong)
