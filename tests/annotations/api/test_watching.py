"""The overview over the API: for those who may see the study, and without anything that tells which system wins."""

import pytest
from django.test import Client

from annotations.models import Role
from tests.metaeval.studies import answered_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    return answered_study()


def got(user, slug="demo"):
    client = Client()
    client.force_login(user)
    return client.get(f"/api/v1/studies/{slug}/overview/")


def test_researchers_see_how_the_study_is_doing(world):
    ann = make_member(world.study, Role.RESEARCHER, "ann@example.org").user
    body = got(ann).json()
    assert (body["done"], body["total"]) == (96, 96)
    assert body["coverage"] == [{"answers": 4, "comparisons": 24}]
    assert [one["number"] for one in body["experts"]] == [0, 1, 2, 3]
    assert body["forecast"]["reason"] == "All answers have been collected."


def test_no_system_is_named_and_no_address(world):
    ann = make_member(world.study, Role.RESEARCHER, "ann@example.org").user
    told = got(ann).content.decode()
    assert not any(name in told for one in world.systems for name in (one.model, one.method) if name)
    assert "@" not in told


def test_for_experts_and_strangers_there_is_none(world):
    other = answered_study("other")
    stranger = make_member(other.study, Role.RESEARCHER, "stranger@example.org").user
    assert [got(who).status_code for who in (world.experts[0].user, stranger)] == [404, 404]
