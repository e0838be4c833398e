"""LeWiDi 2023: an item is (split, id), the lists keep their order, and the shares come from the annotations."""

import json

import numpy as np
import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from annotations.importing.datasets import RefusedWithReport, import_dataset
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, HumanAnnotation
from tests.annotations.importing.test_properties import NAMES, quick

pytestmark = pytest.mark.django_db


def item(annotations="0,1", annotators="Ann1,Ann2", **changes):
    """An item as published; a field that is None is left out."""
    row = {
        "text": "A text.",
        "annotation task": "hate speech detection",
        "number of annotations": len(annotations.split(",")) if isinstance(annotations, str) else 0,
        "annotations": annotations,
        "annotators": annotators,
        "lang": "en",
        "hard_label": "0",
        "soft_label": {"0": 0.5, "1": 0.5},
        "split": "train",
        "other_info": {},
    }
    return {key: value for key, value in (row | changes).items() if value is not None}


@pytest.fixture
def write_items(write):
    return lambda items, name="x_train.json": write(name, json.dumps(items))


def said(dataset):
    """Who said what, in order."""
    rows = HumanAnnotation.objects.filter(instance__dataset=dataset).order_by("instance__position", "position")
    return list(rows.values_list("instance__external_id", "annotator", "labels"))


def test_ids_restart_in_every_split(bring, write_items):
    dev = write_items({"1": item("1,1", split="dev")}, "x_dev.json")
    dataset = bring(write_items({"1": item(), "2": item("0,0")}), dev)
    assert said(dataset) == [
        ("train/1", "Ann1", [0]),
        ("train/1", "Ann2", [1]),
        ("train/2", "Ann1", [0]),
        ("train/2", "Ann2", [0]),
        ("dev/1", "Ann1", [1]),
        ("dev/1", "Ann2", [1]),
    ]
    assert list(dataset.instances.values_list("split", flat=True)) == ["train", "train", "dev"]


def test_a_file_tells_the_split_where_its_items_do_not(bring, write_items):
    dataset = bring(write_items({"1": item(split=None)}, "HS-Brexit_dev.json"))
    assert dataset.instances.get().external_id == "dev/1"


def test_an_annotator_who_is_listed_twice_gave_two_annotations(db, write_items):
    report = import_dataset(files=[write_items({"1": item("1,0,1", "Ann1,Ann1,Ann2")})], slug="small")
    assert any(note.startswith("In 1 item ") for note in report.notes)
    dataset = Dataset.objects.get()
    assert said(dataset) == [("train/1", "Ann1", [1]), ("train/1", "Ann1", [0]), ("train/1", "Ann2", [1])]
    np.testing.assert_array_equal(dataset.gold, [[1 / 3, 2 / 3]])


def test_a_conversation_inside_the_text_becomes_its_turns_and_its_labels_a_scale(bring, write_items):
    turns = {"prev_agent": "Hello.", "user": "You are useless."}
    soft = {"0": 0.5, "1": 0.5}
    dataset = bring(write_items({"1": item("-3,1", text=json.dumps(turns), soft_label=soft, hard_label=1)}))
    assert dataset.instances.get().segments == [
        {"name": "prev_agent", "text": "Hello."},
        {"name": "user", "text": "You are useless."},
    ]
    assert (dataset.task, list(dataset.labels.values_list("name", "value"))) == (
        "multiclass",
        [("-3", None), ("1", None)],
    )
    Dataset.objects.all().delete()
    scale = bring(write_items({"1": item("-3,1", text=json.dumps(turns))}), task="ordinal", labels="-3;-2;-1;0;1")
    assert list(scale.labels.values_list("value", flat=True)) == [-3, -2, -1, 0, 1]


def test_arabic_runs_from_right_to_left(bring, write_items):
    dataset = bring(write_items({"1": item(lang="ar"), "2": item(lang=None)}), language="fa", direction="rtl")
    assert list(dataset.instances.values_list("language", "direction")) == [("ar", "rtl"), ("fa", "rtl")]


def test_rounded_soft_labels_are_computed_again_and_others_are_counted(db, write_items):
    rounded = item("0,0,1", "a,b,c", soft_label={"0": 0.67, "1": 0.33})
    wrong = item("0,0,1", "a,b,c", soft_label={"0.0": 0.5, "1.0": 0.5})
    report = import_dataset(files=[write_items({"1": rounded, "2": wrong})], slug="small")
    np.testing.assert_array_equal(Dataset.objects.get().gold, [[2 / 3, 1 / 3]] * 2)
    assert [note for note in report.notes if " 1 item " in note]


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"annotations": "0,1,1"}, "annotations", "the lists differ in length"),
        ({"annotations": "0,"}, "annotations", "an entry of the list is empty"),
        ({"annotators": "Ann1,"}, "annotators", "an entry of the list is empty"),
        ({"annotations": ["0", "1"]}, "annotations", "this is not a comma-separated list"),
        ({"annotators": "Ann1," + "x" * 201}, "annotators", "the annotator's code is longer than 200 characters"),
        ({"number of annotations": 3}, "number of annotations", "the number of annotations is wrong"),
        ({"text": ""}, "text", "there is no text"),
        ({"text": ["a"]}, "text", "there is no text"),
        ({"text": "a\x00"}, "text", "the text contains the character U+0000"),
        ({"lang": 7}, "lang", "this is not a language code"),
        ({"annotations": "", "annotators": ""}, "annotations", "the item has no judgements, as in a blinded file"),
    ],
)
def test_a_bad_item_is_refused_by_name_and_field(write_items, changes, field, reason):
    items = {"1": item(), "two": item(**({"number of annotations": None} | changes))}
    with pytest.raises(RefusedWithReport) as refused:
        import_dataset(files=[write_items(items)], slug="bad", format_name="lewidi2023")
    problems = refused.value.report.problems
    assert [(p["file"], p["field"], p["reason"]) for p in problems] == [
        ("x_train.json", f"item 'two', {field}", reason)
    ]
    assert problems[0]["remedy"]
    assert not Dataset.objects.exists()


def test_blinded_items_are_left_out_when_asked(db, write_items):
    blinded = item("", "Ann1,Ann2", soft_label="", hard_label="")
    file = write_items({"1": item(), "2": blinded})
    report = import_dataset(files=[file], slug="small", options={"unjudged": "leave_out"})
    assert (report.instances, report.notes[-1].split()[:2]) == (1, ["1", "item"])
    only = write_items({"2": blinded}, "y_test.json")
    with pytest.raises(RefusedWithReport, match="the files are blinded"):
        import_dataset(files=[only], slug="other", options={"unjudged": "leave_out"})


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{"1": {"annotation task": "x", "text": "y"}', 1, "this is not a complete JSON document"),
        ('{"1": {"annotation task": 1},\n "1": {}}', None, "an object contains this key twice"),
        ('{"1": "annotation task"}', None, "this is not an object"),
        ("[" * 100_000, None, "this JSON could not be read"),
        ('{"1": ' + "9" * 5000 + "}", None, "this JSON could not be read"),
        (b'{"1": "\xff"}', 1, "the byte 0xff at position 7 is not UTF-8"),
        ("[]", None, "this is not an object of items"),
    ],
)
def test_a_file_that_is_no_document_is_refused(write, text, line, reason):
    with pytest.raises(RefusedWithReport) as refused:
        import_dataset(files=[write("x_train.json", text)], slug="bad", format_name="lewidi2023")
    problem = refused.value.report.problems[0]
    assert (problem["file"], problem["line"]) == ("x_train.json", line)
    assert problem["reason"].startswith(reason)


def test_the_same_item_in_two_files_is_refused(refused, write_items):
    problems = refused(write_items({"1": item()}), write_items({"1": item()}, "y_train.json"))
    assert (problems[0]["field"], problems[0]["value"]) == ("item '1'", "train/1")


CODES = NAMES.filter(lambda name: "," not in name and name.strip(", ") == name)
LABELS = st.sampled_from(["0", "1", "0.0", "1.0", " 1", "-2", "-2.0"])


@quick
@given(st.dictionaries(NAMES, st.lists(st.tuples(LABELS, CODES), min_size=1, max_size=5), min_size=1, max_size=5))
def test_whatever_the_lists_hold_every_annotation_is_read_once_and_in_order(tmp_path, votes):
    file = tmp_path / "x_train.json"
    items = {
        id_: item(",".join(label for label, _ in row), ", ".join(code for _, code in row)) for id_, row in votes.items()
    }
    file.write_text(json.dumps(items))
    with transaction.atomic():
        import_dataset(files=[SourceFile.at(file)], slug="small", format_name="lewidi2023")
        names = list(Dataset.objects.get().labels.values_list("name", flat=True))
        stored = [(id_, code, names[labels[0]]) for id_, code, labels in said(Dataset.objects.get())]
        assert stored == [
            (f"train/{id_}", code, str(int(float(label)))) for id_, row in votes.items() for label, code in row
        ]
        transaction.set_rollback(True)


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["HS-Brexit", "ArMIS"])
@pytest.mark.parametrize("splits", [["train"], ["dev"], ["test"], ["train", "dev", "test"]])
def test_the_published_files_hold_what_the_golden_file_counts(shared_data, golden, name, splits):
    files = [SourceFile.at(shared_data / "lewidi2023" / f"{name}_{split}.json") for split in splits]
    report = import_dataset(files=files, slug="real")
    key = f"{name}.{splits[0] if len(splits) == 1 else 'all'}"
    expected = json.loads((golden / "agreement.json").read_text())["datasets"][key]
    assert (report.format, report.instances, report.annotations) == (
        "lewidi2023",
        expected["n_items"],
        expected["n_annotations"],
    )
    dataset = Dataset.objects.get()
    rows = HumanAnnotation.objects.filter(instance__dataset=dataset)
    counts = {label: rows.filter(labels=[k]).count() for k, label in enumerate(report.labels)}
    assert counts == expected["label_counts"]
    assert np.max(dataset.gold, axis=1).mean() == pytest.approx(expected["mean_modal_share"], abs=1e-12)
    assert set(dataset.instances.values_list("direction", flat=True)) == {"rtl" if name == "ArMIS" else "ltr"}
