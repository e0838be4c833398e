"""LeWiDi 2025: named segments, labels by annotator, several labels a person, and metadata as careless as published."""

import json

import numpy as np
import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from annotations.importing.datasets import RefusedWithReport, import_dataset
from annotations.importing.reading.files import SourceFile
from annotations.models import Annotator, Dataset, HumanAnnotation
from tests.annotations.importing.test_lewidi2023 import said
from tests.annotations.importing.test_properties import NAMES, quick

pytestmark = pytest.mark.django_db


def item(annotations, **changes):
    """An item as published; a field that is None is left out."""
    row = {
        "annotation task": "natural language inference",
        "text": {"context": "It rains.", "statement": "It is wet."},
        "number of annotators": 2,
        "annotators": ",".join(annotations) if isinstance(annotations, dict) else "Ann1,Ann2",
        "number of annotations": 2,
        "annotations": annotations,
        "soft_label": {},
        "split": "dev",
        "lang": "en",
        "other_info": {"explanations": ["Because."]},
    }
    return {key: value for key, value in (row | changes).items() if value is not None}


@pytest.fixture
def write_items(write):
    return lambda items, name="x_dev.json": write(name, json.dumps(items))


def test_several_labels_of_one_person_make_it_multilabel_in_the_soft_labels_order(bring, write_items):
    nested = {"contradiction": {"0": 1.0, "1": 0.0}, "entailment": {"0": 0, "1": 1}, "neutral": {"0": 0.5, "1": 0.5}}
    row = item({"Ann1": "entailment", "Ann2": "neutral,entailment"}, annotators="Ann1,Ann2,Ann2", soft_label=nested)
    dataset = bring(write_items({"7": row}))
    assert (dataset.task, list(dataset.labels.values_list("name", flat=True))) == (
        "multilabel",
        ["contradiction", "entailment", "neutral"],
    )
    assert said(dataset) == [("7", "Ann1", [1]), ("7", "Ann2", [1, 2])]
    np.testing.assert_array_equal(dataset.gold, [[0, 1, 0.5]])
    assert dataset.instances.get().segments == [
        {"name": "context", "text": "It rains."},
        {"name": "statement", "text": "It is wet."},
    ]


def test_every_item_keeps_its_split_and_an_unknown_one_is_blank(bring, write_items):
    said = {"Ann1": "entailment"}
    files = [
        write_items({"1": item(said, annotators="Ann1")}),
        write_items({"2": item(said, annotators="Ann1", split=None)}, "x_test.json"),
        write_items({"3": item(said, annotators="Ann1", split=None)}, "more.json"),
    ]
    dataset = bring(*files)
    assert list(dataset.instances.values_list("external_id", "split")) == [("1", "dev"), ("2", "test"), ("3", "")]


def test_a_split_that_cannot_be_stored_is_refused(refused, write_items):
    row = item({"Ann1": "entailment"}, annotators="Ann1", split="x" * 21)
    [problem] = refused(write_items({"1": row}))
    assert (problem["field"], problem["value"]) == ("item '1', split", 21 * "x")


def test_annotators_stand_in_the_order_in_which_submissions_predict_them(bring, write_items):
    dataset = bring(write_items({"7": item({"b": "1", "a": "2", "c": "1"}, annotators="a,b,c")}))
    assert [code for _, code, _ in said(dataset)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("task", "labels"),
    [("paraphrase detection", [str(k) for k in range(-5, 6)]), ("sarcasm detection", list("123456"))],
)
def test_a_known_scale_is_whole_even_where_nobody_gave_a_point(bring, write_items, task, labels):
    soft = {"0.0": 0.0, "1.0": 0.5, "2": 0.5}  # keys drift, and name a point that the scale of sarcasm has not
    row = item({"Ann1": "1", "Ann2": "2"}, soft_label=soft, **{"annotation task": task, "number of annotators": None})
    dataset = bring(write_items({"7": row}))
    assert (dataset.task, list(dataset.labels.values_list("name", flat=True))) == ("ordinal", labels)
    assert list(dataset.labels.values_list("value", flat=True)) == [float(name) for name in labels]


def test_what_is_known_of_annotators_comes_from_the_careless_metadata(db, write_items, write):
    meta = write(
        "x_annotators_meta.json",
        '{"0": {"Age": 26, "Gender": "nan", "Country, or so": "a,]"},\n'
        ' "Ann1": {"Age": NaN, "Gender": "CONSENT_REVOKED", "Student": "DATA_EXPIRED",},\n "Ann9": {"Age": "7",},}',
    )
    report = import_dataset(files=[write_items({"7": item({"Ann0": "1", "Ann1": "2", "Ann2": "1"})}), meta], slug="x")
    assert report.format == "lewidi2025"
    assert list(Annotator.objects.values_list("code", "about")) == [
        ("Ann0", {"Age": "26", "Country, or so": "a,]"}),
        ("Ann1", {}),
    ]
    assert report.notes[-3:] == [
        "Metadata of 2 of 3 annotators.",
        "There is no metadata of 'Ann2'.",
        "The metadata of 1 person who judged nothing here was left out.",
    ]


def test_careless_metadata_that_never_end_are_refused_in_time_that_grows_with_their_length(bring, write_items, write):
    # Two million marks, each of which could begin a text: with the square of their number, it would take weeks.
    meta = write("x_annotators_meta.json", '{"0": {"Age": "' + '\\"' * 2_000_000)
    with pytest.raises(RefusedWithReport, match=r"^x_annotators_meta\.json, line 1: .*JSON"):
        import_dataset(files=[write_items({"7": item({"Ann1": "1"})}), meta], slug="x")


def test_metadata_are_part_of_the_content(db, write_items, write):
    data = write_items({"7": item({"Ann1": "1"})})
    import_dataset(files=[data, write("x_annotators_meta.json", '{"Ann1": {"Age": "26"}}')], slug="x")
    again = import_dataset(
        files=[data, write("x_annotators_meta.json", '{"Ann1": {"Age": "27"}}')], slug="x", dry_run=True
    )
    assert again.problem_count == 1


@pytest.mark.parametrize("annotations", ["", ",,,", {"Ann1": "", "Ann2": " "}, None])
def test_blinded_items_are_refused_or_left_out(write_items, annotations):
    file = write_items({"1": item({"Ann1": "1", "Ann2": "0"}), "2": item(annotations, soft_label="")})
    with pytest.raises(RefusedWithReport, match=r"^x_dev\.json, item '2', annotations: "):
        import_dataset(files=[file], slug="x")
    report = import_dataset(files=[file], slug="x", options={"unjudged": "leave_out"})
    assert (report.instances, report.notes[-1].split()[:2]) == (1, ["1", "item"])


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"annotations": {"Ann1": "1", "Ann2": ""}}, "annotations of 'Ann2'", "the label of the annotator is missing"),
        ({"annotations": {"Ann1": "nan"}}, "annotations of 'Ann1'", "the label of the annotator is missing"),
        ({"annotations": {"Ann1": ["1"]}}, "annotations of 'Ann1'", "the label of the annotator is missing"),
        ({"annotations": {"Ann1": "1,1"}}, "annotations of 'Ann1'", "the annotator chose a label twice"),
        ({"annotations": ["1"]}, "annotations", "the annotations are not an object"),
        ({"annotations": {"": "1"}}, "annotations", "the annotator's code is empty"),
        ({"text": "One text."}, "text", "the text is not an object of named segments"),
        ({"text": {}}, "text", "the text is not an object of named segments"),
        ({"text": {"context": 3}}, "context", "there is no text"),
        ({"lang": "x" * 21}, "lang", "this is not a language code"),
    ],
)
def test_a_bad_item_is_refused_by_name_and_field(write_items, changes, field, reason):
    items = {"1": item({"Ann1": "1"}), "two": item({"Ann1": "1"}) | changes}
    with pytest.raises(RefusedWithReport) as refused:
        import_dataset(files=[write_items(items)], slug="bad", format_name="lewidi2025")
    problems = refused.value.report.problems
    assert ("x_dev.json", f"item 'two', {field}", reason) in [(p["file"], p["field"], p["reason"]) for p in problems]
    assert all(problem["remedy"] for problem in problems)
    assert not Dataset.objects.exists()


def test_several_labels_are_refused_where_the_task_takes_one(refused, write_items):
    problems = refused(write_items({"7": item({"Ann1": "a,b"})}), task="multiclass")
    assert (problems[0]["field"], problems[0]["value"]) == ("item '7', annotations of 'Ann1'", "a, b")


def test_labels_outside_the_declared_ones_are_refused(refused, write_items):
    problems = refused(write_items({"7": item({"Ann1": "a", "Ann2": "c"})}), labels="a;b")
    assert [(p["field"], p["value"]) for p in problems] == [("item '7', annotations of 'Ann2'", "c")]


CODES = NAMES.filter(lambda name: "," not in name)
LABELS = st.sets(st.sampled_from(["entailment", "neutral", "contradiction", "a b", "Ω"]), min_size=1)
ITEMS = st.dictionaries(NAMES, st.dictionaries(CODES, LABELS, min_size=1, max_size=4), min_size=1, max_size=5)


@quick
@given(ITEMS, st.booleans(), st.booleans())
def test_whatever_the_names_every_annotation_is_read_as_it_was_written(tmp_path, votes, indented, marked):
    file = tmp_path / "x_dev.json"
    document = {id_: item({code: ", ".join(labels) for code, labels in row.items()}) for id_, row in votes.items()}
    text = json.dumps(document, indent=4 if indented else None, ensure_ascii=indented)
    file.write_text(text, encoding="utf-8-sig" if marked else "utf-8")
    with transaction.atomic():
        options = {"task": "multilabel"}
        import_dataset(files=[SourceFile.at(file)], slug="small", format_name="lewidi2025", options=options)
        names = list(Dataset.objects.get().labels.values_list("name", flat=True))
        stored = [(id_, code, {names[k] for k in labels}) for id_, code, labels in said(Dataset.objects.get())]
        assert stored == [(id_, code, labels) for id_, row in votes.items() for code, labels in row.items()]
        transaction.set_rollback(True)


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("files", "key"),
    [
        (["Paraphrase_train"], "Par.train"),
        (["Paraphrase_test", "Paraphrase_annotators_meta"], "Par.test"),
        (["Paraphrase_train", "Paraphrase_dev", "Paraphrase_test"], "Par.all"),
        (["CSC_dev"], "CSC.dev"),
    ],
)
def test_the_published_scales_hold_what_the_golden_file_counts(shared_data, golden, files, key):
    sources = [SourceFile.at(shared_data / "lewidi2025" / f"{name}.json") for name in files]
    report = import_dataset(files=sources, slug="real")
    expected = json.loads((golden / "agreement.json").read_text())["datasets"][key]
    assert (report.format, report.task, report.labels) == ("lewidi2025", "ordinal", expected["labels"])
    assert (report.instances, report.annotations) == (expected["n_items"], expected["n_annotations"])
    rows = HumanAnnotation.objects.filter(instance__dataset__slug="real")
    counts = {label: rows.filter(labels=[k]).count() for k, label in enumerate(report.labels)}
    assert counts == expected["label_counts"]
    assert Annotator.objects.count() == (4 if len(files) == 2 else 0)


@pytest.mark.shared_data
def test_the_published_multilabel_file_holds_what_the_golden_file_counts(shared_data, golden):
    report = import_dataset(files=[SourceFile.at(shared_data / "lewidi2025" / "VariErrNLI_dev.json")], slug="real")
    assert (report.task, report.labels) == ("multilabel", ["contradiction", "entailment", "neutral"])
    expected = json.loads((golden / "agreement.json").read_text())["datasets"]
    chosen = [labels for _, _, labels in said(Dataset.objects.get())]
    for k, label in enumerate(report.labels):
        counted = expected[f"VEN.dev.binary_{label}"]
        assert (report.instances, len(chosen)) == (counted["n_items"], counted["n_annotations"])
        assert sum(k in labels for labels in chosen) == counted["label_counts"]["1"]


@pytest.mark.shared_data
def test_the_mean_of_the_training_soft_labels_is_the_published_baseline(shared_data, golden):
    import_dataset(files=[SourceFile.at(shared_data / "lewidi2025" / "Paraphrase_train.json")], slug="real")
    expected = json.loads((golden / "lewidi2025_par.json").read_text())["baseline"]["soft"]
    np.testing.assert_allclose(Dataset.objects.get().gold.mean(axis=0), expected, rtol=1e-12)
