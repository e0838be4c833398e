"""A study's admins say how long its experts' names are kept, also when it is closed; its experts are not told."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotations.models import Event, EventKind, Role, Study, User
from annotations.shown.event_sentences import sentence_of
from annotations.shown.people import ShownPeople
from tests.annotations.api.designing.test_setup import JSON, in_study, signed_in
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/studies/study/retention/"


@pytest.fixture
def study() -> Study:
    return make_open_study(experts=1)


def put(client: Client, months: object) -> Any:
    return client.put(ADDRESS, {"identities_kept_months": months}, JSON)


def test_only_admins_change_it_and_researchers_see_it(study: Study, settings: Any) -> None:
    settings.HLV_IDENTITIES_KEPT_MONTHS = 24
    researcher, admin = in_study(study, Role.RESEARCHER), in_study(study, Role.ADMIN)
    said = {"identities_kept_months": None, "server_months": 24, "identities_go_at": None}
    assert researcher.get(ADDRESS).json() == said
    assert put(researcher, 6).status_code == 403
    expert = signed_in(study.memberships.get(number=0).user.email)
    assert (expert.get(ADDRESS).status_code, put(expert, 6).status_code) == (404, 404)
    assert signed_in("else@example.org").get(ADDRESS).status_code == 404
    assert put(admin, 6).json() == said | {"identities_kept_months": 6}
    study.refresh_from_db()
    assert study.identities_kept_months == 6


def test_the_day_is_said_once_the_study_is_closed(study: Study) -> None:
    admin = in_study(study, Role.ADMIN)
    closed_at = timezone.now()
    Study.objects.update(state="closed", closed_at=closed_at)
    day = put(admin, 12).json()["identities_go_at"]
    assert day[:10] == (closed_at + timedelta(days=365)).date().isoformat()
    assert put(admin, 0).json()["identities_go_at"] is None


@pytest.mark.parametrize("months", [-1, 601, "soon", 1.5])
def test_what_is_no_number_of_months_is_refused_and_named(study: Study, months: object) -> None:
    refused = put(in_study(study, Role.ADMIN), months)
    assert refused.status_code == 400
    assert list(refused.json()["fields"]) == ["identities_kept_months"]
    study.refresh_from_db()
    assert study.identities_kept_months is None


def test_the_history_says_who_changed_it_and_nothing_if_it_is_as_before(study: Study) -> None:
    admin = in_study(study, Role.ADMIN)
    version = study.version
    for _ in range(2):
        put(admin, 6)
    event = Event.objects.get(kind=EventKind.SETTINGS_CHANGED, study=study)
    assert event.actor == User.objects.get(email="admin@example.org")
    assert "how long names are kept" in sentence_of(event, ShownPeople(to=None))
    study.refresh_from_db()
    assert study.version == version + 1
