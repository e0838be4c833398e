"""What experts reported, as researchers read it and admins decide about it."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations.models import Instance, Report, Role, Study, User
from tests.worlds import storing
from tests.worlds.answering import Page, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_member, make_open_study

pytestmark = pytest.mark.django_db
REMARK = "Her name is Jane."


@pytest.fixture
def study() -> Study:
    study = make_open_study(dataset=make_dataset(instances=8, systems=4), experts=4, instances_per_system=6)
    for role in (Role.RESEARCHER, Role.ADMIN):
        make_member(study, role, f"{role}@example.org", name=role.title())
    return study


def tell(study: Study, number: int = 0, **changes: Any) -> Report:
    user = study.memberships.get(number=number).user
    assignment = taken(user, study.slug)
    told = {"reason": "identifies_person", "text": REMARK, "skip": False, **changes}
    return storing.store_report(user=user, token=assignment.token, key=uuid.uuid4(), **told)


def browser(email: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(email=email))
    return client


def decide(client: Client, report: Report, verdict: str, note: str = "") -> Any:
    address = f"/api/studies/study/reports/{report.pk}/decisions/"
    return client.post(address, {"verdict": verdict, "note": note}, content_type="application/json")


def rows(client: Client) -> list[dict[str, Any]]:
    return list(client.get("/api/studies/study/reports/").json()["results"])


def test_a_report_is_listed_with_all_that_an_admin_needs(study):
    told = tell(study, 2, skip=True)
    assert rows(browser("researcher@example.org")) == [
        {
            "id": told.pk,
            "at": told.created_at.isoformat().replace("+00:00", "Z"),
            "reason": "identifies_person",
            "remark": REMARK,
            "skipped": True,
            "expert": 2,
            "instance": told.assignment.instance.external_id,
            "withdrawn": False,
            "state": "open",
            "note": "",
            "decided_at": None,
            "decided_by": "",
        }
    ]
    assert browser("admin@example.org").get("/api/studies/study/").json()["counts"]["open_reports"] == 1


def test_the_newest_decision_shows_with_who_and_why(study):
    told = tell(study)
    admin = browser("admin@example.org")
    assert decide(admin, told, "dismissed", "An invented name.").json()["state"] == "dismissed"
    row = rows(admin)[0]
    assert (row["state"], row["note"], row["decided_by"]) == ("dismissed", "An invented name.", "Admin")
    assert decide(admin, told, "confirmed").json()["withdrawn"] is True
    refused = decide(admin, told, "dismissed")
    assert (refused.status_code, refused.json()["code"]) == (409, "is_withdrawn")
    assert decide(admin, told, "shown_again").json()["state"] == "shown_again"
    assert decide(admin, told, "nonsense").status_code == 400
    assert admin.get("/api/studies/study/").json()["counts"]["open_reports"] == 0


def test_a_withdrawn_text_and_what_was_said_about_it_are_for_admins_only(study):
    told = tell(study)
    researcher, admin = browser("researcher@example.org"), browser("admin@example.org")
    address = f"/api/studies/study/reports/{told.pk}/text/"
    text = told.assignment.instance.segments[0]["text"]
    assert researcher.get(address).json()["segments"] == [{"name": "", "text": text}]
    decide(admin, told, "confirmed")
    hidden = researcher.get(address)
    assert (hidden.json()["segments"], hidden.json()["withdrawn"]) == (None, True)
    assert REMARK not in str(rows(researcher))
    assert admin.get(address).json()["segments"][0]["text"] == text
    assert rows(admin)[0]["remark"] == REMARK


def test_nobody_else_reads_or_decides(study):
    told = tell(study)
    other = make_open_study(dataset=study.dataset, slug="other", experts=1)
    make_member(other, Role.ADMIN, "foreign@example.org")
    User.objects.create_user("stranger@example.org")
    for email in ("expert0@example.org", "expert1@example.org", "foreign@example.org", "stranger@example.org"):
        client = browser(email)
        for page in ("", f"{told.pk}/text/"):
            assert client.get(f"/api/studies/study/reports/{page}").status_code == 404
        assert decide(client, told, "confirmed").status_code == 404
    foreign = browser("foreign@example.org")
    assert foreign.get(f"/api/studies/other/reports/{told.pk}/text/").status_code == 404
    assert foreign.get("/api/studies/other/reports/").json()["results"] == []
    refused = decide(browser("researcher@example.org"), told, "confirmed")
    assert refused.status_code == 403
    assert not Instance.objects.filter(withdrawn_at__isnull=False).exists()


def test_an_expert_with_the_withdrawn_text_in_hand_is_told_and_led_on(study):
    told = tell(study, 0)
    page = Page(study.memberships.get(number=0).user)
    task = page.next().json()
    text = task["assignment"]["segments"][0]["text"]
    token = task["assignment"]["token"]
    decide(browser("admin@example.org"), told, "confirmed")
    for answer in (page.labels(token), page.preference(token), page.report(token)):
        assert (answer.status_code, answer.json()["code"]) == (409, "withdrawn")
        assert text not in answer.content.decode()
    after = page.next().json()
    assert after["assignment"]["segments"][0]["text"] != text


def test_reports_cost_the_same_for_few_and_many(study):
    client = browser("researcher@example.org")

    def queries() -> int:
        with CaptureQueriesContext(connection) as context:
            assert client.get("/api/studies/study/reports/").status_code == 200
        return len(context)

    decide(browser("admin@example.org"), tell(study, 0), "dismissed", "x")
    few = queries()
    for number in range(4):
        for _ in range(5):
            decide(browser("admin@example.org"), tell(study, number, reason="other"), "dismissed", "x")
    assert queries() == few
