"""The people of a study over the API: listed, added, given another role, taken out and in again."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotations.answering.assigning import next_assignment
from annotations.api.answering.shapes import moment
from annotations.designing.lifecycle import change_state
from annotations.erasing.texts import erase_text
from annotations.history import events
from annotations.models import Consent, Event, EventKind, Invitation, Leaving, Role, StudyState, User
from annotations.people.access import tokens
from annotations.people.invitations.declarations import store_consent
from annotations.people.membership.leaving import leave
from annotations.shown.consent import consent_text, version_of
from annotations.shown.instructions import as_html
from tests.worlds.answering import complete, taken
from tests.worlds.studies import make_expert, make_member, make_open_study, make_study

pytestmark = pytest.mark.django_db
MEMBERS = "/api/v1/studies/study/members/"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def study():
    study = make_open_study(experts=3)
    make_member(study, Role.ADMIN, "admin@example.org", name="Ada")
    make_member(study, Role.RESEARCHER, "rita@example.org", name="Rita")
    return study


@pytest.fixture
def admin(study):
    return signed_in(User.objects.get(email="admin@example.org"))


def number(study, email):
    return study.memberships.get(user__email=email).number


def post(client, address, body=None, **more):
    return client.post(f"/api/v1/studies/study/{address}", body or {}, content_type="application/json", **more)


def patch(client, study, email, role):
    address = f"{MEMBERS}{number(study, email)}/"
    return client.patch(address, {"role": role}, content_type="application/json")


def test_the_list_says_how_far_everybody_is_and_finds_people(study, admin):
    complete(taken(User.objects.get(email="expert0@example.org")))
    rows = admin.get(MEMBERS).json()["results"]
    first = rows[0]
    assert (first["email"], first["done"], first["role"], first["is_active"]) == (
        "expert0@example.org",
        1,
        "expert",
        True,
    )
    assert first["total"] > 1
    assert first["last_answer_at"]
    assert rows[1]["total"] is None, "nobody has said yet how many it will be"

    def found(query):
        return [row["email"] for row in admin.get(f"{MEMBERS}?{query}").json()["results"]]

    assert found("role=admin") == ["admin@example.org"]
    assert found("search=rit") == ["rita@example.org"]
    assert found("search=expert1@") == ["expert1@example.org"]
    assert len(found("role=expert&state=active")) == 3
    assert found("state=left") == []
    assert admin.get(f"{MEMBERS}?state=nowhere").status_code == 400


def test_researchers_see_no_addresses_and_no_profiles(study):
    study.memberships.filter(role=Role.EXPERT).update(profile={"specialism": "Criminal law"})
    researcher = signed_in(User.objects.get(email="rita@example.org"))
    rows = researcher.get(MEMBERS).json()["results"]
    assert {row["email"] for row in rows} == {"", "rita@example.org"}  # her own
    assert "expert0@example.org" not in json.dumps(rows)  # nor in a name's place
    assert all(row["profile"] == {} for row in rows)
    assert [row["name"] for row in researcher.get(f"{MEMBERS}?search=admin@").json()["results"]] == []
    # Nor can an address be guessed letter by letter.
    assert researcher.get(f"{MEMBERS}?search=expert0@").json()["count"] == 0
    events.record(EventKind.CONSENTED, actor=User.objects.get(email="expert0@example.org"), study=study)
    history = "/api/v1/studies/study/events/?action=consented&actor="
    assert researcher.get(f"{history}expert0@").json()["count"] == 0
    assert researcher.get(f"{history}0").json()["count"] == 1
    for address in (MEMBERS, f"{MEMBERS}0/leave/"):
        assert researcher.post(address, {"addresses": "x@example.org"}).status_code == 403
    expert = signed_in(User.objects.get(email="expert0@example.org"))
    assert expert.get(MEMBERS).status_code == 404


def test_the_list_asks_no_more_queries_for_more_people(study, admin):
    def asked():
        with CaptureQueriesContext(
            connection,
        ) as queries:
            admin.get(MEMBERS)
        return len(queries)

    before = asked()
    for one in range(5):
        make_expert(study, f"more{one}@example.org")
    assert asked() == before


def test_people_with_accounts_are_added_together_and_agree_before_their_first_text(study, admin):
    ann = User.objects.create_user("ann@example.org", "violets and rain 17", name="Ann")
    User.objects.create_user("ben@example.org", "violets and rain 17")
    refused = post(admin, "members/", {"addresses": "ann@example.org\nnobody@example.org\nexpert0@example.org"})
    assert refused.status_code == 400
    assert [one["value"] for one in refused.json()["data"]["lines"]] == ["nobody@example.org", "expert0@example.org"]
    assert not study.memberships.filter(user=ann).exists(), "all of them, or none"

    added = post(admin, "members/", {"addresses": "Ann@example.org, ben@example.org"})
    assert added.status_code == 201
    assert [(row["role"], row["is_pending"]) for row in added.json()] == [("expert", True), ("expert", True)]
    browser = signed_in(ann)
    assert post(browser, "next/").status_code == 404
    assert post(browser, "role/accept/").json()["role"] == "expert"
    assert next_assignment(user=ann, slug="study").finished == "asked_first"
    assert post(browser, "next/").json()["assignment"] is None
    asked = browser.get("/api/v1/studies/study/profile/").json()
    assert asked["consent"]["version"] == version_of(consent_text(study))

    def agree(version):
        body = {"answers": {}, "consent": version}
        return browser.put("/api/v1/studies/study/profile/", body, content_type="application/json")

    assert agree(None).json()["code"] == "consent_missing"
    assert agree("0" * 64).json()["code"] == "consent_changed"
    assert agree(asked["consent"]["version"]).json()["consent"] is None
    assert Consent.objects.filter(study=study, user=ann).count() == 1
    assert post(browser, "next/").json()["assignment"] is not None


def test_who_has_seen_the_sides_is_not_added_as_an_expert(study, admin):
    root = User.objects.create_superuser("root@example.org", "violets and rain 17")
    events.unblinded_view(actor=root, study=study, what="assignments")
    refused = post(admin, "members/", {"addresses": "root@example.org"})
    assert refused.status_code == 400
    assert [line["value"] for line in refused.json()["data"]["lines"]] == ["root@example.org"]


def test_roles_change_as_far_as_the_blinding_allows(study, admin):
    assert patch(admin, study, "expert1@example.org", "researcher").json()["role"] == "researcher"
    assert patch(admin, study, "expert1@example.org", "admin").json()["role"] == "admin"
    back = patch(admin, study, "expert1@example.org", "expert")
    assert back.status_code == 409
    assert back.json()["code"] == "knows_the_sides"

    complete(taken(User.objects.get(email="expert0@example.org")))
    refused = patch(admin, study, "expert0@example.org", "researcher")
    assert refused.status_code == 409
    assert refused.json()["code"] == "has_answered"
    assert study.memberships.get(user__email="expert0@example.org").assignments.count() > 0
    change_state(study=study, to=StudyState.CLOSED)
    assert patch(admin, study, "expert0@example.org", "researcher").status_code == 200
    kinds = [event.data["after"] for event in Event.objects.filter(kind=EventKind.ROLE_CHANGED).order_by("pk")]
    assert kinds == ["researcher", "admin", "researcher"]


def test_who_only_has_places_that_are_not_begun_gives_them_back_with_the_role(study, admin):
    expert = study.memberships.get(user__email="expert2@example.org")
    taken(expert.user)
    assert patch(admin, study, "expert2@example.org", "researcher").status_code == 200
    assert expert.assignments.count() == 0


def test_a_study_keeps_an_admin(study, admin):
    for answer in (
        patch(admin, study, "admin@example.org", "researcher"),
        post(admin, f"members/{number(study, 'admin@example.org')}/leave/"),
    ):
        assert answer.status_code == 409
        assert answer.json()["code"] == "last_study_admin"


def test_an_admin_takes_somebody_out_and_in_again(study, admin):
    expert = number(study, "expert0@example.org")
    complete(taken(User.objects.get(email="expert0@example.org")))
    left = post(admin, f"members/{expert}/leave/").json()
    assert not left["is_active"]
    assert left["left_at"]
    assert left["done"] == 1
    assert [row["number"] for row in admin.get(f"{MEMBERS}?state=left").json()["results"]] == [expert]
    browser = signed_in(User.objects.get(email="expert0@example.org"))
    assert post(browser, "next/").status_code == 404
    refused = patch(admin, study, "expert0@example.org", "researcher")
    assert refused.status_code == 409
    assert refused.json()["code"] == "has_left"
    asked = post(admin, f"members/{expert}/return/").json()
    assert (asked["is_pending"], asked["is_active"]) == (True, False)
    assert post(browser, "next/").status_code == 404, "nobody is back by somebody else's act"
    assert post(browser, "role/accept/").status_code == 200
    assert post(browser, "next/").status_code == 200
    assert post(admin, "members/999/leave/").status_code == 404


@pytest.mark.parametrize("leaving", list(Leaving))
def test_an_expert_leaves_by_themselves_and_is_told_what_becomes_of_their_answers(study, leaving):
    type(study).objects.update(leaving=leaving)
    browser = signed_in(User.objects.get(email="expert0@example.org"))
    assert post(browser, "next/").json()["study"]["leaving"] == leaving
    assert post(browser, "leave/").status_code == 400
    assert post(browser, "leave/", {"confirm": False}).status_code == 400
    assert post(browser, "leave/", {"confirm": True}).json()["leaving"] == leaving
    assert post(browser, "leave/", {"confirm": True}).status_code == 404
    assert Event.objects.get(kind=EventKind.MEMBER_LEFT).data["themselves"]


FORMER = "/api/v1/former-studies/"


def former(user):
    """The one study of which somebody is no longer part, as their home page shows it."""
    (row,) = signed_in(user).get(FORMER).json()["results"]
    return row


@pytest.mark.parametrize("leaving", list(Leaving))
@pytest.mark.parametrize("by_themselves", [True, False])
def test_who_is_no_longer_part_of_a_study_reads_when_by_whom_and_what_becomes_of_their_answers(
    study, admin, leaving, by_themselves
):
    type(study).objects.update(leaving=leaving)
    expert = study.memberships.get(user__email="expert0@example.org")
    for _ in range(2):
        complete(taken(expert.user))
    study.refresh_from_db()
    text = consent_text(study)
    consent = store_consent(study=study, user=expert.user, version=version_of(text)) if by_themselves else None
    browser = signed_in(expert.user)
    assert browser.get(FORMER).json()["count"] == 0, "who takes part has left nothing"
    if by_themselves:
        post(browser, "leave/", {"confirm": True})
    else:
        post(admin, f"members/{expert.number}/leave/")
    row = former(expert.user)
    expert.refresh_from_db()
    assert parse_datetime(row["ended_at"]) == expert.left_at
    assert (row["slug"], row["title"], row["role"]) == ("study", study.title, "expert")
    assert (row["by_themselves"], row["answers"]) == (by_themselves, 2)
    assert row["answers_left_out"] == (leaving == Leaving.LEFT_OUT)
    assert row["contact"] == {"name": "Ada", "email": "admin@example.org"}
    agreed = {"at": moment(consent.at), "html": as_html(text)} if consent else None
    assert row["consent"] == agreed
    assert browser.get("/api/v1/studies/").json()["count"] == 0
    assert post(browser, "next/").status_code == 404


def test_who_left_came_back_and_was_removed_was_removed(study, admin):
    expert = study.memberships.get(user__email="expert0@example.org")
    post(signed_in(expert.user), "leave/", {"confirm": True})
    post(admin, f"members/{expert.number}/return/")
    post(signed_in(expert.user), "role/accept/")
    assert signed_in(expert.user).get(FORMER).json()["count"] == 0
    post(admin, f"members/{expert.number}/leave/")
    assert former(expert.user)["by_themselves"] is False


def test_answers_that_were_erased_are_not_counted_as_kept(study, admin):
    expert = study.memberships.get(user__email="expert0@example.org")
    first, _ = complete(taken(expert.user)), complete(taken(expert.user))
    post(admin, f"members/{expert.number}/leave/")
    erase_text(instance=first.assignment.instance, with_answers=True)
    assert former(expert.user)["answers"] == 1


def test_they_ask_who_invited_them_or_else_an_admin_who_is_still_there(study, admin):
    expert = study.memberships.get(user__email="expert0@example.org")
    grace = make_member(study, Role.ADMIN, "grace@example.org", name="Grace")
    Invitation.objects.create(
        study=study, email=expert.user.email, role=Role.EXPERT, digest="0", created_by=grace.user, user=expert.user,
        used_at=timezone.now(), expires_at=timezone.now() + timedelta(days=1),
    )  # fmt: skip
    post(admin, f"members/{expert.number}/leave/")
    assert former(expert.user)["contact"] == {"name": "Grace", "email": "grace@example.org"}
    post(admin, f"members/{grace.number}/leave/")
    assert former(expert.user)["contact"] == {"name": "Ada", "email": "admin@example.org"}
    assert former(grace.user)["role"] == "admin"
    study.memberships.filter(role=Role.ADMIN).update(is_active=False)
    assert former(expert.user)["contact"] is None


def test_the_studies_that_one_has_left_take_as_many_queries_as_one(study, admin):
    person = study.memberships.get(user__email="expert0@example.org").user

    def asked():
        with CaptureQueriesContext(connection) as queries:
            former_of = signed_in(person).get(FORMER).json()
        return former_of["count"], len(queries)

    leave(member=study.memberships.get(user=person))
    before = asked()
    for number in range(3):
        other = make_study(dataset=study.dataset, slug=f"other-{number}")
        make_member(other, Role.ADMIN, "admin@example.org")
        leave(member=make_member(other, Role.EXPERT, person.email))
    assert before[0] == 1
    assert asked() == (4, before[1])


def test_a_token_adds_experts_and_takes_them_out_but_gives_nobody_sight_of_the_sides(study):
    secret = tokens.make(user=User.objects.get(email="admin@example.org"), name="script").secret
    bearer = {"headers": {"Authorization": f"Bearer {secret}"}}
    User.objects.create_user("ann@example.org", "violets and rain 17")
    anonymous = Client()
    for role in ("researcher", "admin"):
        refused = post(anonymous, "members/", {"addresses": "ann@example.org", "role": role}, **bearer)
        assert refused.status_code == 403
        assert refused.json()["code"] == "needs_login"
    assert post(anonymous, "members/", {"addresses": "ann@example.org"}, **bearer).status_code == 201
    ann = number(study, "ann@example.org")
    assert post(anonymous, f"members/{ann}/leave/", **bearer).status_code == 200
    assert post(anonymous, f"members/{ann}/return/", **bearer).status_code == 200
    rita = number(study, "rita@example.org")
    assert post(anonymous, f"members/{rita}/leave/", **bearer).json()["code"] == "needs_login"
    sent = anonymous.patch(f"{MEMBERS}{ann}/", {"role": "admin"}, content_type="application/json", **bearer)
    assert sent.json()["code"] == "needs_login"
