"""Who is told that a study has all its answers, or that a job of it failed: once, and nothing that is not theirs."""

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.background import jobs
from annotations.background.sweeping import sweep
from annotations.models import (
    Assignment,
    Event,
    EventKind,
    ExportJob,
    JobState,
    Letter,
    Membership,
    Notice,
    Role,
    Study,
    User,
)
from annotations.people.notifications import MOST_TRIES, tell
from annotations.shown.event_sentences import sentence_of
from annotations.shown.people import ShownPeople
from hlvstudy.health import look_after
from tests.fixtures.postbox import BACKEND, Postbox
from tests.worlds.answering import complete_all
from tests.worlds.studies import make_expert, make_member, make_study, plan_and_open

pytestmark = pytest.mark.django_db
SECRET = "of the webhook"


class Listener(BaseHTTPRequestHandler):
    """Somebody else's server, which keeps what it is sent."""

    received: ClassVar[list[tuple[dict[str, str], bytes]]] = []
    status: ClassVar[int] = 204

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Listener.received.append((dict(self.headers), body))
        self.send_response(Listener.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(autouse=True)
def nobody_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests are the worker."""
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)


@pytest.fixture
def sending(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EMAIL_BACKEND = BACKEND
    monkeypatch.setattr(Postbox, "fault", None)


@pytest.fixture
def listening(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Listener]]:
    monkeypatch.setattr(Listener, "received", [])
    monkeypatch.setattr(Listener, "status", 204)
    server = HTTPServer(("127.0.0.1", 0), Listener)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    settings.NOTIFY_WEBHOOK_URL = f"http://127.0.0.1:{server.server_port}/hook?key=in-the-address"
    settings.NOTIFY_WEBHOOK_SECRET = SECRET
    yield Listener
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def study() -> Study:
    """Open, not answered: two experts, an admin, two researchers of whom one has left."""
    study = make_study(experts=0, title="Does it follow?")
    make_member(study, Role.ADMIN, "admin@example.org", name="Ada")
    make_member(study, Role.RESEARCHER, "rhea@example.org")
    gone = make_member(study, Role.RESEARCHER, "gone@example.org")
    Membership.objects.filter(pk=gone.pk).update(is_active=False)
    for number in range(2):
        make_expert(study, f"expert{number}@example.org")
    return plan_and_open(study)


def answer_all(study: Study) -> None:
    for member in study.memberships.experts():
        complete_all(member.user, study.slug)
    assert not Assignment.objects.filter(study=study, completed_at=None, released_at=None).exists()


def failed_export(study: Study, **fields: Any) -> ExportJob:
    about = {"finished_at": timezone.now(), "error": "It broke.", "error_detail": "a secret traceback"} | fields
    job: ExportJob = ExportJob.objects.create(study=study, format="csv", state=JobState.FAILED, **about)
    return job


def work() -> None:
    """What waits is done, as by a worker that looks once."""
    for pk in Notice.objects.filter(state=JobState.QUEUED).values_list("pk", flat=True):
        jobs.run(Notice, pk)


@pytest.mark.usefixtures("sending")
def test_researchers_and_admins_get_a_mail_when_the_last_place_is_answered(study):
    first, second = study.memberships.experts()
    complete_all(first.user, study.slug)
    sweep()
    assert not Notice.objects.exists()
    complete_all(second.user, study.slug)
    assert not Notice.objects.exists(), "the expert's answer waits for none of it"
    sweep()
    work()
    assert sorted(one.to[0] for one in mail.outbox) == ["admin@example.org", "rhea@example.org"]
    places = Assignment.objects.filter(study=study).count()
    assert mail.outbox[0].subject == "All answers are in: Does it follow?"
    assert f"All answers of the study “Does it follow?” are in ({places})." in mail.outbox[0].body
    assert mail.outbox[0].body.endswith("http://localhost/studies/study")
    event = Event.objects.get(kind=EventKind.TOLD)
    assert sentence_of(event, ShownPeople(to=None)) == "The server notified 2 people: all answers have been collected."
    assert event.data["answers"] == places


@pytest.mark.usefixtures("sending")
def test_everyone_is_told_in_the_language_of_their_account(study):
    User.objects.filter(email="rhea@example.org").update(language="de")
    answer_all(study)
    sweep()
    work()
    subjects = {one.to[0]: one.subject for one in mail.outbox}
    assert subjects["rhea@example.org"] == "Alle Antworten liegen vor: Does it follow?"
    assert subjects["admin@example.org"] == "All answers are in: Does it follow?"


@pytest.mark.usefixtures("sending")
def test_a_study_is_told_of_once_and_again_when_places_were_added_and_answered(study):
    answer_all(study)
    for _ in range(3):
        sweep()
        work()
    assert len(mail.outbox) == 2
    place = Assignment.objects.filter(study=study).order_by("-completed_at").first()
    make_expert(study, "late@example.org")
    Assignment.objects.create(
        study=study, comparison=place.comparison, instance=place.instance, place=place.places, places=place.places + 1
    )
    sweep()
    assert Notice.objects.count() == 2
    complete_all(study.memberships.get(user__email="late@example.org").user, study.slug)
    sweep()
    sweep()
    work()
    assert len(mail.outbox) == 4
    assert Event.objects.filter(kind=EventKind.TOLD).count() == 2


@pytest.mark.usefixtures("sending")
def test_two_workers_that_look_at_once_tell_once(study, monkeypatch):
    answer_all(study)
    from annotations.people import notifications

    looked_before = list(notifications._completed())
    tell()
    monkeypatch.setattr(notifications, "_completed", lambda: looked_before)
    tell()
    assert (Notice.objects.count(), Event.objects.filter(kind=EventKind.TOLD).count()) == (2, 1)


@pytest.mark.usefixtures("sending")
def test_what_is_old_is_no_news(study, monkeypatch):
    answer_all(study)
    failed_export(study)
    later = timezone.now() + timedelta(days=2)
    monkeypatch.setattr("annotations.people.notifications.timezone.now", lambda: later)
    tell()
    assert not Notice.objects.exists()


@pytest.mark.usefixtures("sending")
def test_a_failed_job_is_told_once_without_why(study):
    job = failed_export(study)
    Letter.objects.create(
        study=study, member=study.memberships.first(), state=JobState.FAILED, finished_at=timezone.now()
    )
    sweep()
    sweep()
    work()
    assert [one.subject for one in mail.outbox] == ["Failed: Does it follow?"] * 2
    assert mail.outbox[0].body.endswith("http://localhost/studies/study/export")
    assert mail.outbox[0].body.splitlines()[2] == (
        "An export of the study “Does it follow?” failed. The page says why, and what you can do."
    )
    assert "It broke" not in mail.outbox[0].body
    assert {one.key for one in Notice.objects.all()} == {f"failed:annotations.ExportJob:{job.pk}"}
    event = Event.objects.get(kind=EventKind.TOLD)
    assert sentence_of(event, ShownPeople(to=None)) == "The server notified 2 people: an export failed."


def test_the_webhook_gets_a_signed_message_with_counts_and_nothing_else(study, listening):
    answer_all(study)
    failed_export(study)
    sweep()
    work()
    assert len(listening.received) == 2
    for headers, body in listening.received:
        wanted = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        assert headers["X-Hlv-Signature"] == wanted
        for hidden in (b"example.org", b"Ada", b"A text of law", b"It broke", b"traceback", SECRET.encode(), b"in-the"):
            assert hidden not in body
    completed, failed = (json.loads(body) for _, body in listening.received)
    if completed["event"] == "run_failed":
        completed, failed = failed, completed
    places = Assignment.objects.filter(study=study).count()
    assert completed.pop("id") != failed.pop("id")
    assert completed.pop("at")
    assert failed.pop("at")
    about = {
        "study": {"slug": "study", "title": "Does it follow?"},
        "counts": {"places": places, "answers": places},
    }
    page = "http://localhost/studies/study"
    assert completed == about | {"event": "study_completed", "kind": "", "url": page}
    assert failed == about | {"event": "run_failed", "kind": "export", "url": f"{page}/export"}


def test_without_a_secret_it_is_not_signed(study, listening, settings):
    settings.NOTIFY_WEBHOOK_SECRET = ""
    failed_export(study)
    tell()
    work()
    ((headers, _),) = listening.received
    assert "X-Hlv-Signature" not in headers


@pytest.mark.usefixtures("sending")
@pytest.mark.parametrize("status", [500, 302])
def test_a_webhook_that_fails_is_tried_again_given_up_in_the_end_and_holds_up_nothing(study, listening, status):
    listening.status = status
    answer_all(study)
    tell()
    work()
    assert len(mail.outbox) == 2
    job = Notice.objects.get(member=None)
    assert (job.state, job.tries, job.attempts) == (JobState.QUEUED, 1, 0)
    for _ in range(MOST_TRIES + 2):
        work()
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.FAILED, f"The webhook responded with status {status}.")
    assert "in-the-address" not in job.error_detail
    assert (len(listening.received), len(mail.outbox)) == (MOST_TRIES, 2)
    assert Study.objects.get(pk=study.pk).accepts_responses
    tell()
    assert Notice.objects.count() == 3, "nobody is told that telling failed"


def test_what_was_away_for_a_while_is_told_in_the_end(study, listening):
    listening.status = 503
    failed_export(study)
    tell()
    work()
    listening.status = 200
    work()
    assert Notice.objects.get().state == JobState.SUCCEEDED


@pytest.mark.parametrize("address", ["file:///etc/hostname", "ftp://example.org/x", "nonsense"])
def test_only_addresses_of_the_web_are_called(study, settings, address):
    settings.NOTIFY_WEBHOOK_URL = address
    failed_export(study)
    tell()
    for _ in range(MOST_TRIES):
        work()
    said = "NOTIFY_WEBHOOK_URL must begin with https:// or http://."
    assert (Notice.objects.get().state, Notice.objects.get().error) == (JobState.FAILED, said)


@pytest.mark.usefixtures("sending")
def test_a_mail_server_that_is_away_is_tried_again_for_each_person_alone(study, monkeypatch):
    failed_export(study)
    tell()
    monkeypatch.setattr(Postbox, "fault", ConnectionRefusedError("admin@example.org"))
    work()
    assert set(Notice.objects.values_list("state", "tries")) == {(JobState.QUEUED, 1)}
    monkeypatch.setattr(Postbox, "fault", None)
    work()
    work()
    assert len(mail.outbox) == 2


@pytest.mark.usefixtures("sending")
def test_who_is_no_researcher_any_more_gets_no_mail_that_waits(study):
    failed_export(study)
    tell()
    study.memberships.filter(user__email="rhea@example.org").update(role=Role.EXPERT)
    work()
    assert [one.to for one in mail.outbox] == [["admin@example.org"]]


def test_where_nobody_can_be_told_nothing_is_stored_and_nothing_is_asked(study):
    answer_all(study)
    failed_export(study)
    with CaptureQueriesContext(connection) as asked:
        tell()
    assert (len(asked), Notice.objects.count(), Event.objects.filter(kind=EventKind.TOLD).count()) == (0, 0, 0)


@pytest.mark.usefixtures("sending")
def test_looking_asks_as_often_for_many_studies_as_for_none(study):
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            tell()
        return len(queries)

    before = asked()
    for number in range(3):
        plan_and_open(make_study(dataset=study.dataset, slug=f"other-{number}", experts=1))
    assert asked() == before


def test_the_health_page_says_whether_a_webhook_is_set_and_not_which(settings):
    def said() -> dict[str, str]:
        return {one.name: one.value for one in look_after().settings}

    assert said()["Webhook for notifications"] == "no"
    settings.NOTIFY_WEBHOOK_URL = "https://hooks.example.org/secret"
    assert said()["Webhook for notifications"] == "yes"
    assert "hooks.example.org" not in str(said())
