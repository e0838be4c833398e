"""The format in which ChaosNLI shares its models' predictions: one document, models, items, labels that are named."""

import json

import numpy as np
import pytest

from annotations.importing.datasets import RefusedWithReport, import_dataset, import_predictions
from annotations.importing.formats import detect, prediction_readers
from annotations.models import Dataset, System
from tests.annotations.importing.test_chaosnli import item

pytestmark = pytest.mark.django_db


@pytest.fixture
def small(write):
    rows = [item("a", {"n": 70, "e": 30}), item("b", {"c": 3, "e": 3, "n": 94})]
    import_dataset(files=[write("small.jsonl", "".join(json.dumps(row) + "\n" for row in rows))], slug="small")
    return Dataset.objects.get(slug="small")


def said(uid, values, label, **changes):
    return {"uid": uid, "predicted_probabilities": values, "predicted_label": label} | changes


GOOD = {
    "bart-large": {"a": said("a", [0.2, 0.7, 0.1], "neutral"), "b": said("b", [0.1, 0.1, 0.8], "contradiction")},
    "roberta": {"a": said("a", [0.5, 0.25, 0.25], "e"), "b": said("b", [0.5, 0.5, 0.0], "neutral")},
}


def test_every_model_of_the_document_is_a_system_in_the_votes_order(small, write):
    file = write("model_predictions_for_snli_mnli.json", json.dumps(GOOD))
    report = import_predictions(files=[file], dataset=small)
    assert (report.format, report.systems, report.notes) == ("chaosnli-models", ["bart-large", "roberta"], [])
    assert list(small.labels.values_list("name", flat=True)) == ["entailment", "neutral", "contradiction"]
    np.testing.assert_array_equal(
        System.objects.get(model="bart-large").predictions, [[0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]
    )


def test_it_is_not_taken_for_a_table_whichever_way_it_is_written(small, write):
    lines = "".join(json.dumps(row) + "\n" for row in GOOD["bart-large"].values())
    for name, text, systems in (
        ("whole.json", json.dumps(GOOD), ["bart-large", "roberta"]),
        ("indented.json", json.dumps(GOOD, indent=1), ["bart-large", "roberta"]),
        ("one_model.json", json.dumps(GOOD["bart-large"]), ["one_model"]),
        ("lines.jsonl", lines, ["lines"]),
    ):
        file = write(name, text)
        found = detect(prediction_readers, [file])
        assert found is not None
        assert found.name == "chaosnli-models"
        report = import_predictions(files=[file], dataset=small, dry_run=True)
        assert report.problems == []
        assert report.systems == systems


def test_the_logits_of_a_document_are_taken_where_there_are_no_probabilities(small, write):
    row = {"uid": "b", "logits": [0.0, np.log(2), 0.0], "predicted_label": "n"}
    document = {"m": {"a": GOOD["roberta"]["a"], "b": row}}
    import_predictions(files=[write("m.json", json.dumps(document))], dataset=small)
    np.testing.assert_allclose(System.objects.get().predictions[1], [0.25, 0.5, 0.25])


def test_items_of_other_datasets_are_counted_and_left_out(small, write):
    more = {"m": GOOD["roberta"] | {f"x{n}": said(f"x{n}", [1, 0, 0], "e") for n in range(7)}}
    report = import_predictions(files=[write("m.json", json.dumps(more))], dataset=small)
    assert [note.split()[:2] for note in report.notes] == [["7", "predictions"]]


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        (
            said("b", [0.1, 0.8, 0.1], "contradiction"),
            "predicted_label",
            "the predicted label is not the most probable",
        ),
        (said("b", [0.1, 0.9], "n"), "predicted_probabilities", "these are not 3 numbers"),
        (said("b", [0.1, 0.8, 0.3], "n"), "predicted_probabilities", "these are not probabilities"),
        (said("c", [0.1, 0.8, 0.1], "n"), "uid", "this is not an item with its uid"),
        ([0.1, 0.8, 0.1], "uid", "this is not an item with its uid"),
        ({"uid": "b", "predicted_label": "n"}, "logits", "these are not 3 numbers"),
    ],
)
def test_a_bad_item_is_refused_by_model_item_and_field(small, write, row, field, reason):
    document = {"m": {"a": GOOD["roberta"]["a"], "b": row}}
    with pytest.raises(RefusedWithReport) as refused:
        import_predictions(files=[write("m.json", json.dumps(document))], dataset=small, format_name="chaosnli-models")
    problem = refused.value.report.problems[0]
    assert problem["field"] == f"item 'm / b', {field}"
    assert problem["reason"].startswith(reason)
    assert not System.objects.exists()


def test_a_document_of_another_dataset_is_refused(small, write):
    document = {"m": {"x": said("x", [1, 0, 0], "e")}}
    with pytest.raises(RefusedWithReport, match="no item is in the dataset"):
        import_predictions(files=[write("m.json", json.dumps(document))], dataset=small)
