"""A dataset's title and shown labels can change, and what nothing uses can be deleted; what a study uses cannot."""

import pytest
from rest_framework.test import APIClient

from annotations.answering.assigning import next_assignment
from annotations.api.answering import task_of
from annotations.models import Dataset, Event, EventKind, Role, StudyState, System
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import start_run
from tests.annotations.api.datasets.test_instances import importer
from tests.worlds.answering import answer
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_member, make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/datasets/some-dataset/"
SYSTEM = "ModelName / Method0 / 0"


@pytest.fixture
def dataset():
    return make_dataset(instances=8)


@pytest.fixture
def client(dataset):
    return importer(dataset=dataset)[0]


def rename(client, position, name):
    return client.patch(f"{ADDRESS}labels/{position}/", {"display_name": name}, format="json")


def test_a_title_can_be_changed_and_leaves_an_event(client):
    answered = client.patch(ADDRESS, {"title": "Better"}, format="json")
    assert (answered.status_code, answered.json()["title"]) == (200, "Better")
    event = Event.objects.get(kind=EventKind.DATASET_CHANGED)
    assert event.data == {"what": "title", "before": "The Dataset's Title", "after": "Better"}


def test_experts_read_the_display_name_and_everything_else_keeps_the_name(client, dataset):
    assert rename(client, 0, "Tort law").json()["name"] == "Label z"
    study = make_study(dataset=dataset)
    expert = make_expert(study, "expert@example.org").user
    plan_and_open(study)
    assert "Tort law" in [
        label["name"] for label in task_of(next_assignment(user=expert, slug="study"))["study"]["labels"]
    ]
    assignment = next_assignment(user=expert, slug="study").assignment
    assert assignment is not None
    answer(assignment)
    page = task_of(next_assignment(user=expert, slug="study"))
    shown = {bar["label"] for side in ("a", "b") for bar in page["assignment"]["comparison"][side]}
    assert "Label z" not in shown
    assert dataset.labels.get(position=0).name == "Label z"
    assert client.get(ADDRESS).json()["labels"][0] == "Label z"


def test_labels_stay_once_a_study_has_begun(client, dataset):
    make_study(dataset=dataset)
    assert rename(client, 0, "Tort law").status_code == 200
    make_open_study(dataset=dataset, slug="begun", experts=2)
    refused = rename(client, 0, "Contract law")
    assert (refused.status_code, refused.json()["code"]) == (409, "labels_in_use")
    assert refused.json()["data"] == {"studies": ["begun"]}


def test_two_labels_never_read_the_same(client):
    refused = rename(client, 0, "label Y")
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["display_name"])
    assert rename(client, 99, "x").status_code == 404
    assert rename(client, 0, "Label z").json()["display_name"] == ""


def test_a_dataset_goes_with_its_predictions_and_analyses(client, dataset):
    other = make_dataset(slug="other")
    for subject in (Subject.of_dataset(dataset), Subject.of_datasets([dataset, other])):
        start_run(subject=subject, analysis="leaderboard", parameters={"resamples": 100}, seed=1)
    kept = start_run(subject=Subject.of_dataset(other), analysis="leaderboard", parameters={"resamples": 100}, seed=1)
    assert client.delete(ADDRESS).status_code == 204
    assert list(Dataset.objects.values_list("slug", flat=True)) == ["other"]
    assert list(AnalysisRun.objects.values_list("pk", flat=True)) == [kept.pk]
    event = Event.objects.get(kind=EventKind.DELETED)
    assert (event.subject, event.data["systems"]) == ("some-dataset", [SYSTEM, SYSTEM.replace("0 /", "1 /")])


def test_a_dataset_with_a_study_stays_and_only_visible_studies_are_named(client, dataset):
    make_study(dataset=dataset, slug="hidden")
    refused = client.delete(ADDRESS)
    assert (refused.status_code, refused.json()["data"]) == (409, {"studies": [], "count": 1})
    assert "hidden" not in refused.json()["detail"]
    make_member(Dataset.objects.get().studies.get(), Role.RESEARCHER, "importer@example.org")
    assert client.delete(ADDRESS).json()["data"]["studies"] == ["hidden"]
    assert Dataset.objects.exists()


def test_predictions_go_unless_a_study_compares_them(client, dataset):
    study = make_study(dataset=dataset, experts=2)
    assert client.delete(f"{ADDRESS}systems/{SYSTEM}/").status_code == 204
    assert System.objects.count() == 1
    assert client.delete(f"{ADDRESS}systems/{SYSTEM}/").status_code == 404
    plan_and_open(study)
    refused = client.delete(f"{ADDRESS}systems/{System.objects.get().name}/")
    assert (refused.status_code, refused.json()["data"]["count"]) == (409, 1)


def test_only_who_imported_it_deletes_it(dataset):
    importer(dataset=dataset)
    study = make_study(dataset=dataset)
    member = make_member(study, Role.ADMIN, "admin@example.org")
    study.state = StudyState.CLOSED
    study.save()
    admin = APIClient()
    admin.force_authenticate(member.user)
    assert admin.get(ADDRESS).json()["may_delete"] is False
    assert admin.delete(ADDRESS).status_code == 403
    assert admin.delete(f"{ADDRESS}systems/{SYSTEM}/").status_code == 403
    stranger, _ = importer("stranger@example.org")
    assert stranger.delete(ADDRESS).status_code == 404
    assert stranger.patch(ADDRESS, {"title": "x"}, format="json").status_code == 404
    assert rename(stranger, 0, "x").status_code == 404
