"""Small files that ask for very much memory are refused before it is allocated, with what they would need."""

import io
import json
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotations.importing.datasets import import_dataset
from annotations.importing.memory import limits
from annotations.importing.memory.limits import MAX_COLUMNS, MAX_LABELS, repeated_name
from annotations.importing.memory.options import label_names_in
from annotations.importing.memory.problems import Problems, shortened
from annotations.importing.memory.renaming import renaming_of
from annotations.importing.memory.tables import AnnotationTable, LabelSet
from annotations.importing.readers.matrices import order_of
from annotations.importing.reading import documents
from annotations.importing.reading.documents import RepeatedKey, without_repeats
from annotations.models import Task
from tests.annotations.importing.test_chaosnli import item
from tests.annotations.importing.test_chaosnli_models import GOOD
from tests.worlds.datasets import make_dataset

pytestmark = pytest.mark.django_db
MB = 1 << 20


@pytest.fixture
def little_room(monkeypatch):
    """Only a kilobyte for a matrix or a table, so that the tests need no large files."""
    monkeypatch.setattr(limits, "MAX_MATRIX_BYTES", 1 << 10)
    monkeypatch.setattr(limits, "MAX_TABLE_BYTES", 1 << 10)


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


def wide(columns: int) -> tuple[list[str], list[float]]:
    """The names and the values of one row with so many columns, the instance's included."""
    return [f"l{n}" for n in range(columns - 1)], [1.0, *[0.0] * (columns - 2)]


def as_csv(columns: int, rows: str = "") -> str:
    names, values = wide(columns)
    return f"instance,{','.join(names)}\n" + (rows or f"a,{','.join(map(str, values))}\n")


def as_parquet(columns: int) -> bytes:
    names, values = wide(columns)
    content = io.BytesIO()
    pq.write_table(pa.table({"instance": ["a"], **{n: [v] for n, v in zip(names, values, strict=True)}}), content)
    return content.getvalue()


def as_json_lines(columns: int) -> str:
    names, values = wide(columns)
    return json.dumps({"instance": "a"} | dict(zip(names, values, strict=True))) + "\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("wide.csv", as_csv(40_000)),
        ("no-instance.csv", as_csv(40_000).removeprefix("instance")),
        ("wide.tsv", as_csv(40_000).replace(",", "\t")),
        ("wide.jsonl", as_json_lines(40_000)),
        ("later.jsonl", '{"instance": "a"}\n' + as_json_lines(40_000)),
        ("wide.parquet", as_parquet(MAX_COLUMNS + 1)),
    ],
    ids=lambda given: given if isinstance(given, str) and len(given) < 20 else "",
)
def test_a_table_with_more_columns_than_can_be_read_is_refused_with_what_to_do(refused, write, name, content):
    (problem,) = refused(write(name, content))
    assert problem["file"] == name
    counts = ["11,001" if name.endswith("parquet") else "40,000", "11,000"]
    assert [count in problem["reason"] for count in counts] == [True, True]
    assert "one row for each label" in problem["remedy"]


def test_it_is_refused_before_any_row_is_read(refused, write):
    """Nothing is noted of rows that are not UTF-8 and have other numbers of fields."""
    content = as_csv(40_000, "a,b\n" * 1_000).encode() + b"\xff\n" * 1_000
    assert len(refused(write("wide.csv", content))) == 1


def test_predictions_are_refused_too(refused_predictions, write):
    (problem,) = refused_predictions(make_dataset(instances=6, labels=4), write("wide.csv", as_csv(MAX_COLUMNS + 1)))
    assert "11,001" in problem["reason"]


class Counted(str):
    """A name that counts how often it is compared with another."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


@pytest.fixture
def names():
    Counted.compared = 0
    return [Counted(f"label {n}") for n in range(400)]


def test_looking_for_a_name_that_is_there_twice_compares_each_only_with_its_equal(names):
    again = [Counted(name) for name in names]
    assert repeated_name([*names, again[-1]]) == names[-1]
    assert repeated_name(names) is None
    with pytest.raises(RepeatedKey):
        without_repeats([(name, 1) for name in [*names, again[-1]]])
    assert Counted.compared < 4 * len(names)


def test_putting_labels_in_order_compares_each_only_with_its_equal(names):
    backwards = [Counted(name) for name in reversed(names)]
    assert order_of(backwards, names, "label", ["f"], Problems()).tolist() == list(range(399, -1, -1))
    assert Counted.compared < 4 * len(names)


def test_renaming_labels_compares_each_only_with_its_equal(names):
    labels = LabelSet(tuple(names), Task.MULTICLASS)
    Counted.compared = 0
    renaming, _notes = renaming_of(labels, [(name, Counted(f"new {name}")) for name in names], Problems())
    assert renaming.members["new label 399"] == ["label 399"]
    assert Counted.compared < 40 * len(names)


def test_new_names_of_labels_are_read_in_one_pass(monkeypatch):
    """A page sends them, so a web process waits: 100,000 characters are possible."""
    passes: list[int] = []

    def counting(labels):
        given = list(labels)
        passes.append(len(given))
        return repeated_name(given)

    monkeypatch.setattr("annotations.importing.memory.options.repeated_name", counting)
    pairs = ";".join(f"{n:x}=a" for n in range(16_000))
    assert len(label_names_in({"label_names": pairs})) == 16_000
    assert passes == [16_000]


def test_of_a_value_as_long_as_a_file_only_its_beginning_is_looked_at():
    class Long(str):
        def isprintable(self) -> bool:
            raise AssertionError("all of it was looked at")

        def __str__(self) -> str:
            return self

    assert shortened(Long("x" * 10_000)) == "x" * 119 + "…"
    assert shortened("x" * 118 + "  ") == repr("x" * 118 + "  ")[:119] + "…"


def test_of_lines_that_each_have_other_keys_only_what_is_there_is_touched(bring, write):
    rows = [{"instance": f"i{n}", "no": 0.5, "yes": 0.5, f"segment:s{n}": f"text {n}"} for n in range(5)]
    dataset = bring(write("shares.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))
    assert [one.segments for one in dataset.instances.order_by("position")] == [
        [{"name": f"s{n}", "text": f"text {n}"}] for n in range(5)
    ]
    assert dataset.gold.tolist() == [[0.5, 0.5]] * 5
