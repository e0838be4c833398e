"""Topical Chat: every response an instance, every rater known by a code, one criterion a dataset."""

import json
from collections import Counter

import numpy as np
import pytest

from annotations.importing.datasets import RefusedWithReport, import_dataset
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, HumanAnnotation
from tests.annotations.importing.test_lewidi2023 import said

pytestmark = pytest.mark.django_db


def response(model="Human", **scores):
    return {"response": "Yes.", "model": model, "Natural": [3, 2, 3], "Understandable": [1, 1, 0]} | scores


def context(*responses, **changes):
    return {"context": "Hello?", "fact": "A fact.", "annotators": ["sm", "me", "er"], "responses": responses} | changes


@pytest.fixture
def write_file(write):
    return lambda *contexts: write("tc.json", json.dumps(contexts))


def test_every_response_is_an_instance_judged_by_known_raters(bring, write_file):
    dataset = bring(write_file(context(response(), response("Machine", Natural=[1, 1, 2]))), criterion="Natural")
    assert (dataset.task, list(dataset.labels.values_list("value", flat=True))) == ("ordinal", [1, 2, 3])
    assert said(dataset) == [
        ("1/Human", "sm", [2]),
        ("1/Human", "me", [1]),
        ("1/Human", "er", [2]),
        ("1/Machine", "sm", [0]),
        ("1/Machine", "me", [0]),
        ("1/Machine", "er", [1]),
    ]
    assert [segment["name"] for segment in dataset.instances.first().segments] == ["context", "fact", "response"]


def test_yes_and_no_are_classes(bring, write_file):
    dataset = bring(write_file(context(response())), criterion="Understandable")
    assert (dataset.task, dataset.gold.tolist()) == ("multiclass", [[1 / 3, 2 / 3]])


def test_a_check_lists_the_criteria(refused, write_file):
    assert refused(write_file(context(response())))[0]["value"] == "'Understandable', 'Natural'"


def test_one_source_of_responses_can_be_taken(bring, refused, write_file):
    file = write_file(context(response(), response("Machine")))
    assert "'Human', 'Machine'" in refused(file, criterion="Natural", responses="Nobody")[0]["remedy"]
    dataset = bring(file, criterion="Natural", responses="Machine")
    assert [row.external_id for row in dataset.instances.all()] == ["1/Machine"]


@pytest.mark.parametrize(
    ("bad", "field", "reason"),
    [
        (context(response(Natural=[3, 2])), "item '1/Human', Natural", "scores and raters differ in number"),
        (
            context(response(Natural=[3, 2, 4])),
            "item '1/Human', Natural, er",
            "the score is not on the criterion's scale",
        ),
        (
            context(response(Natural=[3, 2, None])),
            "item '1/Human', Natural, er",
            "the score is not on the criterion's scale",
        ),
        (context(response(Natural="3")), "item '1/Human', Natural", "the scores are not a list"),
        (
            context(response(Natural=[])),
            "item '1/Human', annotations",
            "the item has no judgements, as in a blinded file",
        ),
        (context(response(), annotators="sm"), "item '1/Human', annotators", "the raters are not a list of codes"),
        (context(response(), annotators=["a", "", "c"]), "item '1/Human', annotators", "the rater's code is empty"),
        (context(response(), response()), "item '1/Human'", "the item appears twice"),
        (context(response(response="")), "item '1/Human', response", "there is no text"),
        (context(response(model=None)), "item '1/None', model", "the source of the response is missing"),
        (context(), "context 1", "the context has no responses"),
    ],
)
def test_a_bad_response_is_refused_by_name_and_field(write_file, bad, field, reason):
    with pytest.raises(RefusedWithReport) as refused:
        import_dataset(files=[write_file(bad)], slug="x", format_name="topical-chat", options={"criterion": "Natural"})
    assert [(p["field"], p["reason"]) for p in refused.value.report.problems] == [(field, reason)]
    assert not Dataset.objects.exists()


@pytest.mark.shared_data
@pytest.mark.parametrize(
    "criterion", ["Understandable", "Natural", "Maintains Context", "Engaging", "Uses Knowledge", "Overall"]
)
def test_every_criterion_holds_what_the_golden_file_counts(shared_data, golden, criterion):
    file = SourceFile.at(shared_data / "topicalchat" / "tc_usr_data.json")
    report = import_dataset(files=[file], slug="tc", options={"criterion": criterion})
    expected = json.loads((golden / "agreement.json").read_text())["datasets"][f"TopicalChat360.{criterion}"]
    assert (report.format, report.labels, report.annotators) == ("topical-chat", expected["labels"], 5)
    assert (report.instances, report.annotations) == (expected["n_items"], expected["n_annotations"])
    counts = Counter(report.labels[labels[0]] for (labels,) in HumanAnnotation.objects.values_list("labels"))
    assert counts == expected["label_counts"]
    assert np.max(Dataset.objects.get().gold, axis=1).mean() == pytest.approx(expected["mean_modal_share"], abs=1e-12)


@pytest.mark.shared_data
def test_the_sixty_responses_of_the_published_tables_can_be_taken_alone(shared_data, golden):
    file = SourceFile.at(shared_data / "topicalchat" / "tc_usr_data.json")
    options = {"criterion": "Understandable", "responses": "New Human Generated"}
    assert import_dataset(files=[file], slug="tc", options=options).instances == 60
    rows = json.loads((golden / "uncertainty.json").read_text())["tables"]["table10.TC.understandable"]
    unanimous = int((Dataset.objects.get().gold.max(axis=1) == 1).sum())
    assert (60, unanimous) == (rows[0]["n"], rows[1]["n"])
