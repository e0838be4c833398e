"""Trainings over the API: for people who may import, with a fixed number of queries, nothing for anybody else."""

import pytest
from rest_framework.test import APIClient

from annotations.models import Role, User
from metaeval.training.registry import methods
from metaeval.training_jobs.models import Training, TrainingJob, TrainingState
from tests.metaeval.training_jobs.world import TINY, ended, judged_dataset, measured, under_way
from tests.worlds.studies import make_member, make_study

pytestmark = pytest.mark.django_db

BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def dataset():
    return judged_dataset()


def client_of(user):
    client = APIClient()
    client.force_login(user, BACKEND)
    return client


@pytest.fixture
def admin():
    return client_of(User.objects.create_superuser("admin@example.org", "a long password"))


def test_the_form_says_what_applies_and_why_the_rest_does_not(admin):
    judged_dataset(known=False)
    form = admin.get("/api/v1/datasets/problems/trainings/form/").json()
    reasons = {one["name"]: one["reason"] for one in form["methods"]}
    assert list(reasons) == methods.names()
    assert reasons["SL"] == ""
    assert "needs to know who gave each annotation" in reasons["AE"]
    assert form["encoders"] == [{"name": "small", "title": "small transformer"}]
    assert form["parameters"]["properties"]["encoder"]["enum"] == ["small"]
    assert (form["texts"], form["annotators"], form["has_given_split"]) == (40, 0, False)


def test_a_training_is_prepared_started_stopped_and_resumed(admin, dataset):
    made = admin.post(f"/api/v1/datasets/{dataset.slug}/trainings/", {"parameters": TINY, "seed": 3}, format="json")
    assert made.status_code == 202, made.content
    assert made.json()["state"] == "checking"
    training = Training.objects.get(pk=made.json()["id"])
    assert training.seed == 3
    refused = admin.post(f"/api/v1/trainings/{training.pk}/start/")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_state")
    training = measured(judged_dataset(slug="other"))
    shown = admin.get(f"/api/v1/trainings/{training.pk}/").json()
    assert shown["state"] == "ready"
    assert (shown["forecast"]["fits"], shown["forecast"]["seconds"], shown["outcome"]) == (2, 90.0, None)
    assert shown["titles"]["learning_rate"] == "Learning rate"
    assert admin.post(f"/api/v1/trainings/{training.pk}/start/").json()["state"] == "training"
    assert admin.post(f"/api/v1/trainings/{training.pk}/stop/").json()["state"] == "stopped"
    assert admin.post(f"/api/v1/trainings/{training.pk}/resume/").json()["state"] == "training"


def test_a_wrong_parameter_is_named(admin, dataset):
    made = admin.post(f"/api/v1/datasets/{dataset.slug}/trainings/", {"parameters": {"runs": 0}}, format="json")
    assert made.status_code == 400
    assert "runs" in str(made.json())


def test_progress_is_told_by_method(admin, dataset):
    training = under_way(dataset, runs=2)
    first = training.jobs.filter(kind=TrainingJob.Piece.FIT, method="SL").first()
    ended(first, result={"epochs": [{"loss": 0.7, "dev_loss": 0.6, "seconds": 1.0}]}, outputs=None, state="failed")
    standing = admin.get(f"/api/v1/trainings/{training.pk}/").json()["standing"]
    assert standing["total"] == 4
    told = {one["method"]: one for one in standing["methods"]}
    assert told["SL"] == {"method": "SL", "title": "soft labels", "done": 0, "total": 2, "running": False, "failed": 1}


def test_one_training_is_asked_for_as_often_with_many_jobs_as_with_few(admin, dataset, django_assert_max_num_queries):
    training = under_way(dataset)
    with django_assert_max_num_queries(16) as asked:
        admin.get(f"/api/v1/trainings/{training.pk}/")
    many = under_way(judged_dataset(slug="many"), runs=30)
    with django_assert_max_num_queries(len(asked)):
        admin.get(f"/api/v1/trainings/{many.pk}/")


def test_a_training_that_waits_says_how_many_others_do_and_never_whose(admin, dataset):
    first, second = under_way(dataset), under_way(judged_dataset(slug="second"))
    somebody = User.objects.create_user("somebody@example.org", name="Somebody")
    foreign = under_way(judged_dataset(slug="foreign"))
    for training, owner in (
        (first, User.objects.get(is_superuser=True)),
        (second, User.objects.get(is_superuser=True)),
    ):
        training.jobs.update(owner=owner)
    foreign.jobs.update(owner=somebody)
    told = [
        admin.get(f"/api/v1/trainings/{one.pk}/").json()["standing"]["waits_for"] for one in (first, second, foreign)
    ]
    assert [(one["own"], one["others"]) for one in told] == [(0, 1), (1, 1), (0, 2)]
    assert "Somebody" not in str(told)
    ended(second.jobs.filter(kind=TrainingJob.Piece.FIT).first(), state="running")
    assert admin.get(f"/api/v1/trainings/{second.pk}/").json()["standing"]["waits_for"] is None


def test_the_loss_curves_are_a_figure_in_every_format(admin, dataset):
    training = under_way(dataset)
    curve = [{"loss": 0.7, "dev_loss": 0.8, "seconds": 1.0}, {"loss": 0.5, "dev_loss": 0.7, "seconds": 1.0}]
    TrainingJob.objects.filter(training=training, kind=TrainingJob.Piece.FIT).update(
        state="succeeded", result={"epochs": curve}, outputs=b""
    )
    spec = admin.get(f"/api/v1/trainings/{training.pk}/curves/").json()
    assert "from 0.700 to 0.500 in 2 epochs" in spec["usermeta"]["alt"]
    assert admin.get(f"/api/v1/trainings/{training.pk}/curves/?format=svg").content.startswith(b"<svg")
    assert admin.get(f"/api/v1/trainings/{training.pk}/curves/?format=gif").status_code == 404


@pytest.mark.parametrize("role", [Role.EXPERT, Role.RESEARCHER])
def test_who_may_not_import_finds_nothing_here(dataset, role):
    training = measured(dataset)
    outsider = client_of(make_member(make_study(), role, "somebody@example.org").user)
    for address in (
        f"/api/v1/datasets/{dataset.slug}/trainings/",
        f"/api/v1/datasets/{dataset.slug}/trainings/form/",
        f"/api/v1/trainings/{training.pk}/",
        f"/api/v1/trainings/{training.pk}/curves/",
    ):
        assert outsider.get(address).status_code == 404, address
    for act in ("start", "stop", "resume"):
        assert outsider.post(f"/api/v1/trainings/{training.pk}/{act}/").status_code == 404
    assert Training.objects.get(pk=training.pk).state == TrainingState.READY
