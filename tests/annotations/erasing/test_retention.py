"""What is kept no longer goes by itself, and is announced before."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from annotations.background import jobs
from annotations.erasing.executing import carry_out
from annotations.erasing.retention import ANNOUNCED, InvalidMonths, identities_go_at, keep_identities, sweep
from annotations.models import (
    Erasure,
    Event,
    EventKind,
    JobState,
    Notice,
    PreferenceResponse,
    Role,
    Study,
    User,
)
from annotations.people.notifications import message
from annotations.shown.event_sentences import sentence_of
from annotations.shown.people import ShownPeople
from tests.fixtures.postbox import BACKEND, Postbox
from tests.worlds.full import make_full_study
from tests.worlds.studies import make_expert, make_member, make_study

DAY = timedelta(days=1)


@pytest.fixture
def closed(db: None) -> Study:
    study = make_full_study()
    Study.objects.filter(pk=study.pk).update(
        state="closed", closed_at=timezone.now() - 200 * DAY, identities_kept_months=6
    )
    study.memberships.update(is_simulated=False)
    study.refresh_from_db()
    return study


def test_identities_go_when_the_study_says_so_but_not_before_it_was_announced(closed: Study) -> None:
    worker = closed.memberships.get(number=1).user
    closed.memberships.filter(number=1).update(role=Role.RESEARCHER)
    answers = PreferenceResponse.objects.count()
    sweep()
    assert not Erasure.objects.exists()
    event = Event.objects.get(kind=EventKind.IDENTITIES_DUE)
    assert (event.study, event.data["people"]) == (closed, 4)
    sweep()
    assert Event.objects.filter(kind=EventKind.IDENTITIES_DUE).count() == 1
    later = timezone.now() + ANNOUNCED + DAY
    sweep(later)
    sweep(later)
    assert Erasure.objects.count() == 4
    for erasure in Erasure.objects.all():
        carry_out(erasure)
    erased = User.objects.exclude(erased_at=None)
    assert sorted(one.name for one in erased) == [f"Expert {number}" for number in range(2, 6)]
    assert not erased.filter(pk=worker.pk).exists()
    assert PreferenceResponse.objects.count() == answers
    assert not closed.memberships.filter(answers_left_out=True).exists()


def test_without_a_rule_nobody_is_erased(closed: Study, settings: Any) -> None:
    Study.objects.filter(pk=closed.pk).update(identities_kept_months=None)
    sweep()
    assert not Event.objects.filter(kind=EventKind.IDENTITIES_DUE).exists()
    settings.HLV_IDENTITIES_KEPT_MONTHS = 6
    sweep()
    assert Event.objects.filter(kind=EventKind.IDENTITIES_DUE).exists()


def work() -> None:
    """What waits is told, as by a worker that looks once."""
    for pk in Notice.objects.filter(state=JobState.QUEUED).values_list("pk", flat=True):
        jobs.run(Notice, pk)


@pytest.fixture
def sending(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EMAIL_BACKEND = BACKEND
    settings.NOTIFY_WEBHOOK_URL = ""
    monkeypatch.setattr(Postbox, "fault", None)
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)


@pytest.mark.usefixtures("sending")
def test_a_mail_says_it_once_14_days_before_and_again_if_the_rule_changes(closed: Study) -> None:
    make_member(closed, Role.ADMIN, "ada@example.org")
    make_member(closed, Role.RESEARCHER, "rhea@example.org", language="de")
    Study.objects.filter(pk=closed.pk).update(closed_at=timezone.now())
    closed.refresh_from_db()
    day = identities_go_at(closed)
    assert day is not None
    sweep(day - ANNOUNCED - timedelta(minutes=1))
    work()
    assert (mail.outbox, Event.objects.filter(kind=EventKind.IDENTITIES_DUE).count()) == ([], 0)
    for _ in range(2):
        sweep(day - ANNOUNCED)
        work()
    told = {one.to[0]: one for one in mail.outbox}
    assert (len(mail.outbox), sorted(told)) == (2, ["ada@example.org", "rhea@example.org"])
    assert told["ada@example.org"].subject == f"Names will be erased: {closed.title}"
    assert f"5 experts of the study “{closed.title}” will be erased" in told["ada@example.org"].body
    assert told["ada@example.org"].body.endswith(f"/studies/{closed.slug}/people")
    assert told["rhea@example.org"].subject == f"Namen werden ausgelöscht: {closed.title}"
    event = Event.objects.get(kind=EventKind.TOLD)
    assert sentence_of(event, ShownPeople(to=None)) == "The server notified 2 people: names will be erased soon."
    notice = Notice.objects.filter(member__user__email="ada@example.org").get()
    assert (message(notice)["event"], message(notice)["kind"]) == ("identities_due", day.date().isoformat())

    closed = keep_identities(study=closed, months=12)
    later = identities_go_at(closed)
    assert later is not None
    sweep(later - ANNOUNCED)
    work()
    assert len(mail.outbox) == 4
    assert not Erasure.objects.exists()


def test_who_is_an_expert_of_two_studies_keeps_the_name_until_both_are_done_with_it(closed: Study) -> None:
    both = closed.memberships.get(number=1).user
    longer = make_study(experts=0, slug="longer")
    make_expert(longer, both.email)
    longer.memberships.update(is_simulated=False)
    Study.objects.filter(pk=longer.pk).update(state="closed", closed_at=timezone.now(), identities_kept_months=12)
    longer.refresh_from_db()
    sweep()
    soon = timezone.now() + ANNOUNCED + DAY
    sweep(soon)
    assert Erasure.objects.count() == 4
    assert not Erasure.objects.filter(target=both.pk).exists()
    day = identities_go_at(longer)
    assert day is not None
    sweep(day - ANNOUNCED)
    assert Event.objects.filter(kind=EventKind.IDENTITIES_DUE, study=longer).get().data["people"] == 1
    assert not Erasure.objects.filter(target=both.pk).exists()
    sweep(day + DAY)
    assert Erasure.objects.filter(target=both.pk).count() == 1


def test_a_number_of_months_out_of_range_is_refused(closed: Study) -> None:
    for months in (-1, 601):
        with pytest.raises(InvalidMonths):
            keep_identities(study=closed, months=months)
    closed.refresh_from_db()
    assert closed.identities_kept_months == 6
