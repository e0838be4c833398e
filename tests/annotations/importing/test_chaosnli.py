"""ChaosNLI as published: votes become annotations, predictions are joined on uid and put in the labels' order."""

import json

import numpy as np
import pytest

from annotations.importing.datasets import RefusedWithReport, import_dataset, import_predictions
from annotations.importing.readers.chaosnli_predictions import softmax
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, HumanAnnotation, System

LABELS = ["entailment", "neutral", "contradiction"]


def item(uid, counter, **changes):
    example = {"uid": uid, "premise": f"Premise of {uid}.", "hypothesis": f"Hypothesis of {uid}."}
    count = [counter.get(key, 0) for key in "enc"]
    return {"uid": uid, "label_counter": counter, "label_count": count, "example": example} | changes


def prediction(uid, probs, **changes):
    return {"uid": uid, "probs": probs} | changes


@pytest.fixture
def write_rows(write):
    """Write JSON lines."""
    return lambda name, rows: write(name, "".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def small(db, write_rows):
    rows = [item("a", {"n": 70, "e": 30}), item("b", {"c": 3, "e": 3, "n": 94}), item("c", {"e": 1})]
    import_dataset(files=[write_rows("small.jsonl", rows)], slug="small")
    return Dataset.objects.get(slug="small")


def test_votes_become_counted_annotations_and_the_distribution_comes_from_them(small):
    np.testing.assert_array_equal(small.gold, [[0.3, 0.7, 0.0], [0.03, 0.94, 0.03], [1.0, 0.0, 0.0]])
    assert list(small.labels.values_list("name", flat=True)) == LABELS
    first = HumanAnnotation.objects.filter(instance__external_id="a")
    assert list(first.values_list("annotator", "labels", "count")) == [("", [0], 30), ("", [1], 70)]
    assert small.instances.get(external_id="a").segments == [
        {"name": "premise", "text": "Premise of a."},
        {"name": "hypothesis", "text": "Hypothesis of a."},
    ]


@pytest.mark.django_db
def test_the_labels_of_the_original_dataset_are_imported_where_they_are_asked_for(write_rows):
    rows = [
        item("a", {"e": 60, "n": 40}, old_labels=["neutral", "entailment", "neutral", "neutral"]),
        item("b", {"c": 100}, old_labels=["contradiction"]),
    ]
    file = write_rows("old.jsonl", rows)
    report = import_dataset(files=[file], slug="old", options={"votes": "old"})
    assert (report.annotations, report.labels) == (5, LABELS)
    np.testing.assert_array_equal(Dataset.objects.get(slug="old").gold, [[0.25, 0.75, 0.0], [0.0, 0.0, 1.0]])
    import_dataset(files=[file], slug="new")
    np.testing.assert_array_equal(Dataset.objects.get(slug="new").gold, [[0.6, 0.4, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "there are no old labels"),
        ({"old_labels": "neutral"}, "there are no old labels"),
        ({"old_labels": []}, "there are no old labels"),
        ({"old_labels": ["neutral", "e"]}, "the label is unknown"),
        ({"old_labels": [["neutral"]]}, "the label is unknown"),
    ],
)
def test_old_labels_that_are_absent_or_no_labels_are_refused(write_rows, changes, reason):
    good = item("a", {"e": 1}, old_labels=["neutral"])
    file = write_rows("bad.jsonl", [good, item("b", {"e": 1}, **changes)])
    with pytest.raises(RefusedWithReport) as refused:
        import_dataset(files=[file], slug="bad", options={"votes": "old"})
    (problem,) = refused.value.report.problems
    assert (problem["line"], problem["field"], problem["reason"]) == (2, "old_labels", reason)


def test_predictions_are_put_in_the_order_of_the_labels(small, write_rows):
    dev = write_rows("SNLI_dev_bert_7.json", [prediction("b", [0.5, 0.125, 0.375]), prediction("other", [1, 0, 0])])
    test = write_rows(
        "SNLI_test_bert_7.json",
        [prediction("a", [0.25, 0.75, 1e-9]), prediction("c", [0.0, 1.0, 0.0])],
    )
    report = import_predictions(files=[dev, test], dataset=small)
    assert report.format == "chaosnli"
    system = System.objects.get()
    assert (system.model, system.method, system.run) == ("bert", "", "7")
    np.testing.assert_array_equal(system.predictions, [[0.25, 1e-9, 0.75], [0.5, 0.375, 0.125], [0.0, 0.0, 1.0]])
    assert [note.split()[:2] for note in report.notes] == [["1", "prediction"]]


@pytest.mark.parametrize(("temperature", "method"), [(1, ""), (2.0, "temperature 2")])
def test_logits_are_taken_at_the_temperature_in_double_precision(small, write_rows, temperature, method):
    single = [np.float32(x).item() for x in softmax(np.array([2.0, 0.0, -2.0]))]
    rows = [prediction(uid, single, logits=[2.0, 0.0, -2.0]) for uid in "abc"]
    options = {"model": "m", "run": "0", "temperature": temperature}
    import_predictions(files=[write_rows("x.json", rows)], dataset=small, options=options)
    system = System.objects.get()
    powers = np.exp(np.array([2.0, -2.0, 0.0]) / temperature)  # entailment, neutral, contradiction
    np.testing.assert_allclose(system.predictions, np.tile(powers / powers.sum(), (3, 1)), rtol=1e-15)
    assert (system.method, system.options) == (method, {"temperature": temperature})


def test_a_temperature_needs_logits(small, write_rows):
    file = write_rows("x.json", [prediction("a", [0.5, 0.25, 0.25])])
    with pytest.raises(RefusedWithReport, match=r"^x\.json, line 1, logits: .*None"):
        import_predictions(files=[file], dataset=small, options={"model": "m", "temperature": 2})


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        (item("b", {"x": 5}), "label_counter", "the label is unknown"),
        (item("b", {}), "label_counter", "there are no votes"),
        (item("b", {"e": -1, "n": 3}), "label_counter", "there are no votes"),
        (item("b", {"e": 1.5}), "label_counter", "there are no votes"),
        (item("b", {"e": 1}, label_count=[2, 0, 0]), "label_count", "label_count and label_counter differ"),
        (item("b", {"e": 1}, example={"premise": 3}), "example", "the texts are missing or are not texts"),
        (item("b", {"1": 1}, label_count=None), "label_counter", "inference and abduction items are mixed"),
        (item("a", {"e": 1}), "uid", "the uid appears twice"),
        (item(7, {"e": 1}), "uid", "there is no usable uid"),
    ],
)
def test_a_bad_item_is_refused_with_its_line(write_rows, row, field, reason):
    file = write_rows("bad.jsonl", [item("a", {"e": 1}), row])
    with pytest.raises(RefusedWithReport) as refused:
        import_dataset(files=[file], slug="bad", format_name="chaosnli")
    problem = refused.value.report.problems[0]
    assert (problem["file"], problem["line"], problem["field"], problem["reason"]) == ("bad.jsonl", 2, field, reason)
    assert problem["remedy"]
    assert not Dataset.objects.exists()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (prediction("c", [0.5, 0.5]), "these are not 3 numbers"),
        (prediction("c", [0.5, 0.5, float("nan")]), "these are not 3 numbers"),
        (prediction("c", [1.5, -0.5, 0.0]), "a value is not in [0, 1]"),
        (prediction("c", [0.5, 0.25, 0.125]), "the values do not sum to 1"),
        (prediction("a", [0.5, 0.25, 0.25]), "the uid appears twice"),
        (prediction("c", [0.5, 0.25, 0.25], logits=[9, 0, 0]), "probs and logits differ"),
        (prediction("c", [0.5, 0.25, 0.25], logits=[10**400, 0, 0]), "these are not 3 numbers"),
        ({"uid": "c"}, "there are neither logits nor probs"),
    ],
)
def test_a_bad_prediction_is_refused_with_its_line(small, write_rows, row, reason):
    good = [prediction(uid, [0.5, 0.25, 0.25]) for uid in "abc"]
    file = write_rows("p.json", [*good[:2], row] if not reason.startswith("the uid") else [*good, row])
    with pytest.raises(RefusedWithReport) as refused:
        import_predictions(files=[file], dataset=small, options={"model": "m"}, format_name="chaosnli")
    assert (refused.value.report.problems[0]["reason"], refused.value.report.problem_count) == (reason, 1)
    assert not System.objects.exists()


def test_a_system_that_lacks_instances_is_refused_and_they_are_named(small, write_rows):
    with pytest.raises(RefusedWithReport) as refused:
        import_predictions(
            files=[write_rows("SNLI_dev_bert_7.json", [prediction("b", [0.5, 0.25, 0.25])])], dataset=small
        )
    problem = refused.value.report.problems[0]
    assert (problem["field"], problem["value"], "2 of 3" in problem["reason"]) == ("uid", "'a', 'c'", True)
    assert problem["value"] == "'a', 'c'"


def test_a_file_that_names_no_model_needs_the_option(small, write_rows):
    with pytest.raises(RefusedWithReport, match=r"^x\.json, model: .*'model'.*'run'"):
        import_predictions(files=[write_rows("x.json", [prediction("a", [0.5, 0.25, 0.25])])], dataset=small)


def test_the_real_snli_part_comes_in_exactly(db, shared_data):
    folder = shared_data / "chaosnli"
    report = import_dataset(files=[SourceFile.at(folder / "chaosNLI_snli.jsonl")], slug="snli", title="ChaosNLI-SNLI")
    assert (report.instances, report.annotations, report.labels, report.task) == (1514, 151_400, LABELS, "multiclass")
    rows = [json.loads(line) for line in (folder / "chaosNLI_snli.jsonl").read_text(encoding="utf-8").splitlines()]
    dataset = Dataset.objects.get(slug="snli")
    np.testing.assert_array_equal(dataset.gold, np.array([row["label_count"] for row in rows]) / 100)

    files = [SourceFile.at(path) for path in sorted(folder.glob("SNLI_*_roberta-base_*.json"))]
    assert import_predictions(files=files, dataset=dataset).systems == [f"roberta-base / {run}" for run in range(3)]
    heated = import_predictions(files=files, dataset=dataset, options={"temperature": 2})
    assert heated.systems == [f"roberta-base / temperature 2 / {run}" for run in range(3)]
    predicted = {}
    for part in ("dev", "test"):
        for line in (folder / f"SNLI_{part}_roberta-base_1.json").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            predicted[row["uid"]] = softmax(np.array(row["logits"]))[[0, 2, 1]]
            np.testing.assert_allclose(softmax(np.array(row["logits"])), row["probs"], atol=1e-7)
    Q = System.objects.get(method="", run="1").predictions
    np.testing.assert_array_equal(Q, [predicted[row["uid"]] for row in rows])
