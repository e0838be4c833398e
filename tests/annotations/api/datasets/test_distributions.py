"""P and Q as lists: the stored numbers to the last digit, a page at a time or all as CSV, never for who answers."""

import csv
import io

import numpy as np
import pytest
from django.utils.http import urlencode
from rest_framework.test import APIClient

from annotations.api import paging
from annotations.importing.memory.limits import MAX_LABELS
from annotations.models import Role, System
from tests.worlds.full import LABELS, make_full_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db
PEOPLE = "/api/v1/datasets/small/distributions/"
SYSTEM = "/api/v1/datasets/small/systems/RoBERTa%20/%20ReL%20/%200/distributions/"


@pytest.fixture
def study():
    return make_full_study()


@pytest.fixture
def ann(study):
    client = APIClient()
    client.force_login(make_member(study, Role.RESEARCHER, "ann@example.org").user)
    return client


def pages(client, address, **query):
    rows, page = [], 1
    while True:
        answer = client.get(f"{address}?{urlencode({**query, 'page': page})}")
        assert answer.status_code == 200, answer.content
        rows += answer.json()["results"]
        if answer.json()["next"] is None:
            return rows
        page += 1


def matrix(rows):
    return np.array([[row["shares"][label] for label in LABELS] for row in rows])


@pytest.mark.parametrize("limit", [1, 5, 500])
def test_the_pages_together_are_the_matrix(study, ann, limit):
    rows = pages(ann, PEOPLE, limit=limit)
    assert np.array_equal(matrix(rows), study.dataset.gold)
    names = list(study.dataset.instances.order_by("position").values_list("external_id", flat=True))
    assert [row["instance"] for row in rows] == names
    stored = System.objects.get(model="RoBERTa", method="ReL", run="0").predictions
    assert np.array_equal(matrix(pages(ann, SYSTEM, limit=limit)), stored)


@pytest.mark.parametrize("address", [PEOPLE, SYSTEM, "/api/v1/datasets/small/instances/"])
def test_a_page_of_more_numbers_than_anybody_reads_is_refused(ann, address, monkeypatch):
    monkeypatch.setattr(paging, "MOST_CELLS", 4 * len(LABELS))
    assert ann.get(address, {"limit": 4}).status_code == 200
    refused = ann.get(address, {"limit": 5})
    assert refused.status_code == 400
    assert "from 1 to 4" in str(refused.json())
    monkeypatch.undo()
    assert MAX_LABELS * paging.HOW_MANY["default"] <= paging.MOST_CELLS, "a page of the usual length is never refused"
    assert len(ann.get(address).json()["results"]) > 0


@pytest.mark.parametrize("address", [PEOPLE, SYSTEM])
def test_the_file_holds_the_same_numbers(ann, address):
    answer = ann.get(address, {"format": "csv"})
    assert answer["Content-Type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert rows[0] == ["instance", *LABELS[:3], "'=1+1", LABELS[4]]
    assert np.array_equal(np.array([row[1:] for row in rows[1:]], dtype=float), matrix(pages(ann, address)))


def test_where_a_system_predicts_nothing_there_are_no_shares(study, ann):
    system = System.objects.get(model="RoBERTa", method="ReL")
    lacking = np.array(system.predictions)
    lacking[2] = np.nan
    System.objects.filter(pk=system.pk).update(predictions=lacking)
    assert [row["position"] for row in pages(ann, SYSTEM) if row["shares"] is None] == [2]
    content = b"".join(ann.get(SYSTEM, {"format": "csv"}).streaming_content).decode()
    assert "text-2,,,,,\r\n" in content


def test_a_system_that_is_not_there_is_not_found_and_another_format_is_refused(ann):
    assert ann.get("/api/v1/datasets/small/systems/nothing/distributions/").status_code == 404
    assert list(ann.get(PEOPLE, {"format": "npy"}).json()["fields"]) == ["format"]


def test_who_answers_a_study_of_it_sees_neither(study):
    expert = APIClient()
    user = study.memberships.get(number=1).user
    user.is_superuser = True  # whatever else they may do
    user.save()
    expert.force_login(user)
    assert {expert.get(address).status_code for address in (PEOPLE, SYSTEM)} == {404}


def test_a_longer_page_costs_no_more_queries(ann, django_assert_num_queries):
    ann.get(PEOPLE, {"limit": 1})  # the first look is recorded
    with django_assert_num_queries(8) as short:
        ann.get(PEOPLE, {"limit": 1})
    with django_assert_num_queries(len(short.captured_queries)):
        ann.get(PEOPLE, {"limit": 500})
