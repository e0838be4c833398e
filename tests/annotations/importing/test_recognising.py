"""A file of no known format is refused with one honest sentence, however many lines it has."""

import json

import pytest

from annotations.importing.datasets import import_dataset, import_predictions
from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.reading.files import SourceFile
from tests.conftest import ROOT

TOOLS = ROOT / "tests" / "fixtures" / "tools"
UNKNOWN = "this is not one of the known formats"

pytestmark = pytest.mark.django_db


def the_problem(*files):
    report = import_dataset(files=files, slug="odd", dry_run=True)
    assert (report.problem_count, len(report.problems)) == (1, 1)
    return report.problems[0]


@pytest.mark.parametrize(
    ("name", "content", "nearest"),
    [
        (
            "a.csv",
            "item,worker,label\n1,ann,yes\n",
            "'table', which would need 'instance' (perhaps 'item' is 'instance')",
        ),
        (
            "a.jsonl",
            '{"id": 1, "worker_id": "w", "probability": 0.5, "label": "x"}\n',
            "'table', which would need 'instance' (perhaps 'id' is 'instance')",
        ),
        (
            "a.json",
            '[{"instance": "a", "label": "x"}]',
            "'table', which would need one object per line (JSON lines)",
        ),
        (
            "a.csv",
            "user_id,phase,instance_id\nann,annotation,t1\n",
            "'potato', which would need 'labels'",
        ),
        ("a.jsonl", '{"uid": "a", "example": {}}\n', "'chaosnli', which would need 'label_counter'"),
        ("a.json", '[{"id": 1, "data": {"text": "One."}}]', "'label-studio', which would need 'annotations'"),
        (
            "a.jsonl",
            '{"text": "One.", "_input_hash": 1, "options": [], "accept": []}\n',
            "'prodigy', which would need 'answer'",
        ),
    ],
)
def test_the_nearest_format_is_named_with_what_it_would_need(write, name, content, nearest):
    problem = the_problem(write(name, content))
    assert problem["reason"] == f"{UNKNOWN}; the closest is {nearest}"
    assert problem["file"] == name
    assert "docs/reference/formats.md" in problem["remedy"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("colours.csv", "red;green\n1;2\n"),
        ("some.json", json.dumps({"colour": "red"})),
        ("notes.md", "Nothing to see.\n"),
        ("numbers.json", "[1, 2, 3]"),
        ("what.bin", b"\x00\x01\x02"),
        ("deep.json", "[" * 100_000),
    ],
)
def test_what_is_near_to_nothing_is_said_to_be(write, name, content):
    problem = the_problem(write(name, content))
    assert problem["reason"] == f"{UNKNOWN}, and not similar to any of them"
    assert all(name in problem["remedy"] for name in dataset_readers.names())


def test_a_document_of_many_lines_is_one_problem(write):
    rows = [{"id": number, "text": f"Text {number}.", "score": 0.5} for number in range(2000)]
    file = write("export.json", json.dumps(rows, indent=1))
    assert the_problem(file)["reason"].startswith(UNKNOWN)


def test_files_of_two_tools_together_are_of_no_format():
    files = [SourceFile.at(TOOLS / name) for name in ("label_studio/export.json", "argilla/records.json")]
    assert the_problem(*files)["reason"].startswith(UNKNOWN)


def test_predictions_are_compared_with_formats_of_predictions(bring, write):
    dataset = bring(write("votes.csv", "instance,label,count\na,x,1\na,y,2\n"))
    file = write("predictions.csv", "id,label,probability\na,x,0.5\na,y,0.5\n")
    (problem,) = import_predictions(files=[file], dataset=dataset, dry_run=True).problems
    assert problem["reason"] == (
        f"{UNKNOWN}; the closest is 'table', which would need 'instance' (perhaps 'id' is 'instance')"
    )
    assert all(name in problem["remedy"] for name in prediction_readers.names())


def test_every_reader_of_records_says_what_its_files_hold():
    assert {reader.name for reader in dataset_readers if not reader.shapes} <= {"matrix"}
