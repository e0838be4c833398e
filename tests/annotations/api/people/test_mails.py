"""Invitations and reminders by mail: sent by a worker, in the study's language, and a failure is seen."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.background import jobs
from annotations.models import Event, EventKind, Invitation, JobState, Letter, Membership, Role, Study, User
from annotations.people.invitations import inviting
from annotations.people.membership.addresses import read_addresses
from tests.fixtures.postbox import BACKEND, Postbox
from tests.worlds.answering import complete, taken
from tests.worlds.studies import make_expert, make_member, make_study, plan_and_open

pytestmark = pytest.mark.django_db
ERIN = "erin@example.org"


@pytest.fixture
def study() -> Study:
    study = make_study(experts=0)
    make_member(study, Role.ADMIN, "admin@example.org", name="Ada")
    return study


@pytest.fixture
def sending(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mail server is set. Who is called is not: the tests are the worker."""
    settings.EMAIL_BACKEND = BACKEND
    monkeypatch.setattr(Postbox, "fault", None)
    monkeypatch.setattr(jobs, "ring", lambda job: None)


def admin() -> Client:
    client = Client()
    client.force_login(User.objects.get(email="admin@example.org"))
    return client


def post(address: str, body: dict[str, Any], **headers: str) -> Any:
    return admin().post(f"/api/v1/studies/study/{address}", body, content_type="application/json", headers=headers)


def work() -> None:
    """Do what waits, as a worker that was called once does."""
    if first := Letter.objects.filter(state=JobState.QUEUED).first():
        jobs.run_job(Letter._meta.label, str(first.pk))


def listed() -> list[dict[str, Any]]:
    return list(admin().get("/api/v1/studies/study/invitations/").json()["results"])


@pytest.mark.usefixtures("sending")
def test_whoever_is_invited_gets_a_mail_with_a_link_of_their_own(study):
    made = post("invitations/", {"addresses": "erin@example.org, ben@example.org"}).json()
    assert [one["mail"] for one in listed()] == ["queued", "queued"]
    work()
    assert [message.to for message in mail.outbox] == [["erin@example.org"], ["ben@example.org"]]
    assert [(one["mail"], one["mailed_at"] is None) for one in listed()] == [("succeeded", False)] * 2
    message = mail.outbox[0]
    assert message.subject == f"Invitation: {study.title}"
    mailed = str(message.body).split("/invitation#")[1].split()[0]
    shown = made[0]["link"].split("#")[1]
    assert mailed != shown
    for token in (mailed, shown):  # both open it
        found = Client().post("/api/v1/invitations/look/", {"token": token}, content_type="application/json")
        assert (found.status_code, found.json()["email"]) == (200, ERIN)
    stored = repr([list(Letter.objects.values()), list(Event.objects.values()), list(Invitation.objects.values())])
    assert mailed not in stored


@pytest.mark.usefixtures("sending")
def test_a_repeated_request_sends_no_second_mail(study):
    for _ in range(2):
        post("invitations/", {"addresses": ERIN}, **{"Idempotency-Key": "1"})
    work()
    assert len(mail.outbox) == 1


@pytest.mark.usefixtures("sending")
@pytest.mark.parametrize(("language", "subject"), [("de", "Einladung"), ("ar", "دعوة"), ("en", "Invitation")])
def test_a_mail_is_in_the_studys_language_and_holds_no_text_of_it(study, language, subject):
    Study.objects.update(language=language)
    post("invitations/", {"addresses": ERIN})
    work()
    assert mail.outbox[0].subject.startswith(subject)
    words = str(mail.outbox[0].body)
    assert study.title in words
    assert not any(part["text"] in words for one in study.dataset.instances.all() for part in one.segments)


@pytest.mark.usefixtures("sending")
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (SMTPRecipientsRefused({ERIN: (550, b"no such user")}), "does not know this address"),
        (ConnectionRefusedError(), "cannot be reached"),
        (OSError("x"), "could not be sent (OSError)"),
    ],
)
def test_a_mail_that_fails_is_seen_and_the_link_still_works(study, monkeypatch, fault, said):
    monkeypatch.setattr(Postbox, "fault", fault)
    made = post("invitations/", {"addresses": ERIN}).json()[0]
    work()
    (row,) = listed()
    assert (row["mail"], row["mailed_at"]) == ("failed", None)
    assert said in row["mail_error"]
    assert Event.objects.filter(kind=EventKind.MAIL_FAILED, study=study).count() == 1
    found = Client().post(
        "/api/v1/invitations/look/", {"token": made["link"].split("#")[1]}, content_type="application/json"
    )
    assert found.status_code == 200


@pytest.mark.usefixtures("sending")
def test_what_was_revoked_meanwhile_is_not_sent(study):
    made = post("invitations/", {"addresses": ERIN}).json()[0]
    post(f"invitations/{made['invitation']['id']}/revoke/", {})
    work()
    assert mail.outbox == []


@pytest.mark.usefixtures("sending")
def test_a_failed_letter_does_not_keep_the_others(study, monkeypatch):
    post("invitations/", {"addresses": "a@example.org, b@example.org, c@example.org"})
    refuse = iter([None, ConnectionRefusedError(), None])

    def send_messages(self: Postbox, messages: Any) -> int:
        fault = next(refuse)
        if fault:
            raise fault
        mail.outbox.extend(messages)
        return len(messages)

    monkeypatch.setattr(Postbox, "send_messages", send_messages)
    work()
    assert len(mail.outbox) == 2
    assert sorted(one["mail"] for one in listed()) == ["failed", "succeeded", "succeeded"]


@pytest.mark.usefixtures("sending")
def test_the_list_asks_as_often_for_many_mails_as_for_one(study):
    counts = []
    for number in range(2):
        post("invitations/", {"addresses": "\n".join(f"{number}{one}@example.org" for one in range(1 + 9 * number))})
        client = admin()
        with CaptureQueriesContext(connection) as asked:
            client.get("/api/v1/studies/study/invitations/")
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_without_a_mail_server_nothing_is_sent_and_the_page_knows(study):
    assert admin().get("/api/v1/session/").json()["sends_mail"] is False
    post("invitations/", {"addresses": ERIN})
    assert not Letter.objects.exists()
    assert listed()[0]["mail"] is None


@pytest.mark.usefixtures("sending")
def test_with_one_the_page_knows_too(study):
    assert admin().get("/api/v1/session/").json()["sends_mail"] is True
    assert Client().get("/api/v1/session/").json()["sends_mail"] is False


# -- reminding


WHO = ("begun", "fresh", "gone", "robot")


@pytest.fixture
def under_way() -> Study:
    """One expert has begun, one has not, one is simulated, one has left, and one is invited only."""
    study = make_study(experts=0, instances_per_system=2)
    make_member(study, Role.ADMIN, "admin@example.org", name="Ada")
    begun, fresh, gone, robot = (make_expert(study, f"{name}@example.org") for name in WHO)
    study = plan_and_open(study)
    complete(taken(begun.user))
    Membership.objects.filter(pk=gone.pk).update(is_active=False)
    Membership.objects.filter(pk=robot.pk).update(is_simulated=True)
    inviting.invite(study=study, addresses=read_addresses(ERIN), role=Role.EXPERT)
    assert fresh.pk
    return study


WAITED_FOR = [("not_accepted", ERIN), ("not_started", "fresh@example.org"), ("unfinished", "begun@example.org")]


@pytest.mark.parametrize(("who", "email"), WAITED_FOR)
def test_without_a_mail_server_the_texts_are_given_to_be_sent(under_way, who, email):
    reminded = post("reminders/", {"who": who}).json()
    (one,) = reminded["reminders"]
    assert (one["email"], reminded["is_mailed"]) == (email, False)
    assert one["subject"] == f"Reminder: {under_way.title}"
    place = "/invitation#" if who == "not_accepted" else "/studies/study/annotate"
    assert place in one["text"]
    if who == "not_accepted":
        token = one["text"].split("#")[1].split()[0]
        found = Client().post("/api/v1/invitations/look/", {"token": token}, content_type="application/json")
        assert found.status_code == 200
    event = Event.objects.get(kind=EventKind.REMINDED)
    assert (event.data["who"], event.data["people"]) == (who, 1)


@pytest.mark.usefixtures("sending")
@pytest.mark.parametrize(("who", "email"), WAITED_FOR)
def test_with_one_they_are_mailed(under_way, who, email):
    reminded = post("reminders/", {"who": who}).json()
    assert ([one["text"] for one in reminded["reminders"]], reminded["is_mailed"]) == ([""], True)
    work()
    assert [message.to for message in mail.outbox] == [[email]]
    assert mail.outbox[0].subject == f"Reminder: {under_way.title}"


@pytest.mark.parametrize(("who", "email"), WAITED_FOR)
def test_nobody_is_reminded_twice_in_a_day(under_way, who, email):
    post("reminders/", {"who": who})
    again = post("reminders/", {"who": who}).json()
    assert (again["reminders"], [one["email"] for one in again["lately"]]) == ([], [email])
    assert Event.objects.filter(kind=EventKind.REMINDED).count() == 1
    yesterday = timezone.now() - timedelta(days=1)
    Invitation.objects.update(reminded_at=yesterday)
    Membership.objects.update(reminded_at=yesterday)
    assert len(post("reminders/", {"who": who}).json()["reminders"]) == 1


def test_a_reminder_leaves_time_to_use_it(under_way):
    Invitation.objects.update(expires_at=timezone.now() + timedelta(hours=1))
    post("reminders/", {"who": "not_accepted"})
    assert Invitation.objects.get().expires_at > timezone.now() + timedelta(days=13)


def test_only_the_named_experts_are_reminded(under_way):
    number = under_way.memberships.get(user__email="fresh@example.org").number
    assert post("reminders/", {"who": "not_started", "numbers": [number + 50]}).json()["reminders"] == []
    assert len(post("reminders/", {"who": "not_started", "numbers": [number]}).json()["reminders"]) == 1
    refused = post("reminders/", {"who": "not_accepted", "numbers": [number]})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["numbers"])


def test_nobody_is_reminded_of_a_study_that_takes_no_answers(study):
    refused = post("reminders/", {"who": "not_started"})
    assert (refused.status_code, refused.json()["code"]) == (409, "not_collecting")


# -- several at once


def test_all_that_ran_out_are_renewed_at_once_and_the_same_request_gives_the_same_links(study):
    old = post("invitations/", {"addresses": "a@example.org, b@example.org, c@example.org"}).json()
    waiting = Invitation.objects.get(email="c@example.org")
    past = {"created_at": timezone.now() - timedelta(days=9), "expires_at": timezone.now()}
    Invitation.objects.exclude(pk=waiting.pk).update(**past)
    made, again = (post("invitations/renew/", {}, **{"Idempotency-Key": "1"}) for _ in range(2))
    assert (made.status_code, made.json()) == (201, again.json())
    assert [one["invitation"]["email"] for one in made.json()] == ["a@example.org", "b@example.org"]
    assert not {one["link"] for one in made.json()} & {one["link"] for one in old}
    assert Invitation.objects.unsettled().count() == 3
    assert post("invitations/renew/", {}).json() == []


def test_several_are_revoked_at_once_and_none_of_another_study(study):
    mine = [
        one["invitation"]["id"] for one in post("invitations/", {"addresses": "a@example.org, b@example.org"}).json()
    ]
    other = make_study(dataset=study.dataset, slug="other")
    foreign = inviting.invite(study=other, addresses=read_addresses(ERIN), role=Role.EXPERT)[0].invitation
    ended = post("invitations/revoke/", {"ids": [*mine, str(foreign.pk)]})
    assert sorted(one["id"] for one in ended.json()) == sorted(mine)
    assert {one["state"] for one in ended.json()} == {"revoked"}
    assert Invitation.objects.unsettled().get() == foreign
    assert post("invitations/revoke/", {"ids": mine}).json() == []
