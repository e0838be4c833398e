"""The texts of a dataset: found, sorted, opened; never by those who answer a study of it."""

import numpy as np
import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from annotations.importing.memory.tables import SystemTable
from annotations.models import Instance, Role, StudyState, User
from tests.worlds.datasets import make_dataset, store_dataset
from tests.worlds.full import make_full_dataset
from tests.worlds.studies import make_member, make_study

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/datasets/some-dataset/instances/"
P = np.array([[1.0, 0.0], [0.5, 0.5], [0.8, 0.2]])


def importer(email="importer@example.org", dataset=None):
    """Somebody who may import, and imported the dataset."""
    user = User.objects.create_user(email)
    user.user_permissions.add(Permission.objects.get(codename="add_dataset"))
    if dataset is not None:
        dataset.created_by = user
        dataset.save(update_fields=["created_by"])
    client = APIClient()
    client.force_authenticate(user)
    return client, user


@pytest.fixture
def client():
    dataset = store_dataset(
        slug="some-dataset",
        title="Some",
        task="multiclass",
        gold=P,
        labels=["no", "yes"],
        systems=[SystemTable("near", P), SystemTable("far", np.array([[0.9, 0.1], [0.5, 0.5], [0.0, 1.0]]))],
        text="Straße Nummer {}",
    )
    return importer(dataset=dataset)[0]


def positions(answer):
    assert answer.status_code == 200, answer.json()
    return [row["position"] for row in answer.json()["results"]]


def test_a_page_shows_what_people_said_of_each_text(client):
    first, second, _ = client.get(ADDRESS).json()["results"]
    assert (first["external_id"], first["shares"], first["disagreement"]) == ("i0", {"no": 1.0, "yes": 0.0}, 0.0)
    assert (second["disagreement"], second["people"], second["distance"]) == (1.0, None, None)
    assert second["segments"] == [{"name": "", "text": "Straße Nummer 1"}]


def test_texts_are_found_by_words_whatever_their_case_and_by_id(client):
    assert positions(client.get(ADDRESS, {"search": "STRASSE 2"})) == [2]
    assert positions(client.get(ADDRESS, {"search": "i1"})) == [1]
    assert positions(client.get(ADDRESS, {"search": "nothing"})) == []


def test_texts_are_sorted_by_disagreement_and_by_where_systems_fail(client):
    assert positions(client.get(ADDRESS, {"order": "-disagreement"})) == [1, 2, 0]
    assert positions(client.get(ADDRESS, {"order": "disagreement"})) == [0, 2, 1]
    worst = client.get(ADDRESS, {"order": "worst"}).json()["results"]
    assert [row["position"] for row in worst] == [2, 0, 1]
    assert [round(row["distance"], 9) for row in worst] == [0.4, 0.05, 0.0]
    assert positions(client.get(ADDRESS, {"order": "worst", "system": "near"})) == [0, 1, 2]
    assert positions(client.get(ADDRESS, {"label": "yes"})) == [1, 2]


@pytest.mark.parametrize("asked", [{"order": "best"}, {"system": "none", "order": "worst"}, {"label": "maybe"}])
def test_what_there_is_not_is_refused(client, asked):
    assert client.get(ADDRESS, asked).status_code == 400


def test_pages_have_as_many_rows_as_asked_for(client):
    answer = client.get(ADDRESS, {"limit": 2, "page": 2}).json()
    assert (answer["count"], len(answer["results"]), answer["next"]) == (3, 1, None)


def test_one_text_comes_whole_with_every_annotation_and_every_system():
    dataset = make_full_dataset("some-dataset")
    client, _ = importer(dataset=dataset)
    one = client.get(f"{ADDRESS}3/").json()
    assert [said["annotator"] for said in one["annotations"]] == ["L0", "L1", "L2", "L3", "L4"]
    assert one["people"] == 5
    gold = dict(zip(one["shares"], dataset.gold[3].tolist(), strict=True))
    assert one["shares"] == gold
    apart = [prediction["distance"] for prediction in one["predictions"]]
    assert len(apart) == 4
    assert apart == sorted(apart)
    assert one["distance"] == pytest.approx(np.mean(apart))
    assert client.get(f"{ADDRESS}99/").status_code == 404


def test_a_text_that_a_system_does_not_predict_has_no_distance(client):
    dataset = store_dataset(
        slug="gaps", title="", task="multiclass", gold=P, labels=["no", "yes"],
        systems=[SystemTable("some", np.vstack([P[:2], [np.nan, np.nan]]))],
    )  # fmt: skip
    dataset.created_by = User.objects.get()
    dataset.save()
    (prediction,) = client.get("/api/v1/datasets/gaps/instances/2/").json()["predictions"]
    assert prediction == {"system": "some", "shares": None, "distance": None}
    worst = client.get("/api/v1/datasets/gaps/instances/", {"order": "worst"}).json()["results"]
    assert (worst[-1]["position"], worst[-1]["distance"]) == (2, None)


def test_a_withdrawn_text_is_neither_shown_nor_found_by_its_words(client):
    Instance.objects.filter(position=1).update(withdrawn_at=timezone.now())
    assert positions(client.get(ADDRESS, {"search": "straße"})) == [0, 2]
    assert client.get(ADDRESS).json()["results"][1]["segments"] is None
    assert client.get(f"{ADDRESS}1/").json()["segments"] is None


def test_who_answers_a_study_does_not_see_what_would_tell_the_sides():
    dataset = make_dataset()
    client, user = importer(dataset=dataset)
    study = make_study(dataset=dataset)
    member = make_member(study, Role.EXPERT, "someone@example.org")
    member.user = user
    member.save()
    for address in (ADDRESS, f"{ADDRESS}0/"):
        assert client.get(address).status_code == 404
    study.state = StudyState.CLOSED
    study.save()
    assert client.get(ADDRESS).status_code == 200


def test_strangers_see_no_texts(client):
    stranger, _ = importer("stranger@example.org")
    assert stranger.get(ADDRESS).status_code == 404
    assert stranger.get(f"{ADDRESS}0/").status_code == 404


@pytest.mark.parametrize("asked", [{}, {"order": "-disagreement"}, {"order": "worst"}, {"search": "text"}])
def test_the_number_of_queries_does_not_grow(asked):
    counts = []
    for size in (5, 40):
        dataset = make_dataset(instances=size, systems=2 + size // 10, slug=f"d{size}")
        client, _ = importer(f"i{size}@example.org", dataset)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(f"/api/v1/datasets/d{size}/instances/", asked).status_code == 200
        counts.append(len(queries))
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/api/v1/datasets/d{size}/instances/0/")
        counts.append(len(queries))
    assert counts[:2] == counts[2:]
