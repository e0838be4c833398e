"""What the people of a running study watch: pace, forecast, each expert, and what needs somebody."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from annotations.answering.watching import needs_of, watch
from annotations.models import Assignment, Invitation, Membership, Study, StudyState
from tests.metaeval.studies import answered_study
from tests.worlds.answering import complete, taken
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def opened(days: float, **settings):
    study = make_open_study(**settings)
    Study.objects.filter(pk=study.pk).update(opened_at=timezone.now() - timedelta(days=days))
    Membership.objects.filter(study=study).update(created_at=timezone.now() - timedelta(days=days))
    study.refresh_from_db()
    return study


def answer_some(study, number, *, days_ago=0.0, expert=0):
    user = study.memberships.experts().order_by("number")[expert].user
    for _ in range(number):
        one = taken(user)
        complete(one, labels_ms=20_000, preference_ms=10_000)
        at = timezone.now() - timedelta(days=days_ago)
        Assignment.objects.filter(pk=one.pk).update(completed_at=at)


def test_answers_are_counted_by_day_with_the_days_on_which_nobody_came():
    study = opened(9, experts=2)
    answer_some(study, 1, days_ago=3)
    answer_some(study, 2)
    watched = watch(study)
    assert [day.answers for day in watched.days] == [1, 0, 0, 2]
    assert watched.days[-1].date == timezone.now().date()
    assert (watched.done, watched.total) == (3, study.assignments.count())


def test_the_forecast_goes_on_at_the_pace_of_the_last_week():
    study = opened(7, experts=2)
    answer_some(study, 2, days_ago=2)
    watched = watch(study)
    left = watched.total - 2
    assert watched.forecast.per_day == round(2 / 7, 1)
    assert watched.forecast.date == (timezone.now() + timedelta(days=left * 3.5)).date()


@pytest.mark.parametrize(
    ("state", "answers", "reason"),
    [
        (StudyState.OPEN, 0, "No answers were given in the last 7 days."),
        (StudyState.PAUSED, 1, "The study is paused."),
    ],
)
def test_without_a_forecast_the_reason_is_said(state, answers, reason):
    study = opened(9, experts=2)
    answer_some(study, answers)
    study.state = state
    assert (watch(study).forecast.date, watch(study).forecast.reason) == (None, reason)


def test_each_expert_has_progress_time_and_side():
    study = opened(9, experts=2)
    answer_some(study, 3)
    first, second = watch(study).experts
    assert (first.done, first.habits.median_ms, first.habits.chose_one) == (3, 30_000, 3)
    assert first.habits.a_share == 1.0
    assert (second.done, second.last_answer, second.habits.median_ms) == (0, None, None)
    assert second.has_more


def test_coverage_says_how_many_comparisons_have_how_many_answers():
    study = opened(9, experts=2)
    answer_some(study, 3)
    covered = dict(watch(study).coverage)
    assert covered[1] == 3
    assert sum(covered.values()) == study.comparisons.count()


def test_answers_of_the_pilot_are_counted_apart():
    study = opened(9, experts=2)
    answer_some(study, 2)
    Assignment.objects.filter(completed_at__isnull=False).update(is_pilot=True)
    watched = watch(study)
    assert (watched.done, watched.pilot) == (0, 2)


def test_who_is_quiet_is_named_and_so_is_an_invitation_that_ends():
    study = opened(9, experts=2)
    answer_some(study, 1, days_ago=6)
    answer_some(study, 1, expert=1)
    Invitation.objects.create(
        study=study, email="ann@example.org", role="expert", digest="0" * 64, expires_at=timezone.now() + timedelta(1)
    )
    told = {need.kind: (need.sentence, need.tab) for need in needs_of(study, watch(study))}
    number = study.memberships.experts().order_by("number")[0].number
    assert told["quiet_experts"] == (f"Expert {number} has not answered for 5 days or more.", "people")
    assert told["invitations"] == ("1 invitation is still unused and expires within 3 days, or has expired.", "people")


def test_missing_experts_are_those_that_the_free_places_need():
    study = opened(9, experts=1, experts_per_comparison=3)
    watched = watch(study)
    assert watched.lacking == 2
    assert "Invite at least 2 more experts to collect all answers." in {n.sentence for n in needs_of(study, watched)}


def test_the_number_of_queries_does_not_grow_with_the_answers(django_assert_max_num_queries):
    small, large = (answered_study(f"s{n}", instances=n, experts=2 + n // 10).study for n in (9, 45))
    for study in (small, large):
        with django_assert_max_num_queries(19):
            needs_of(study, watch(study))


def test_habits_are_those_of_the_newest_answers_in_their_newest_revision(monkeypatch):
    monkeypatch.setattr("annotations.answering.watching.NEWEST_READ", 5)
    study = opened(9, experts=2, instances_per_system=3)
    answer_some(study, 1, days_ago=3)
    newest = study.assignments.completed().get()
    Assignment.objects.filter(pk=newest.pk).update(completed_at=timezone.now())
    preference = newest.preferenceresponses.get()
    preference.pk, preference.revision, preference.key = None, 1, uuid.uuid4()
    preference.a_chosen, preference.b_chosen, preference.active_ms = False, True, 20_000
    preference.save(force_insert=True)
    first = watch(study).experts[0]
    assert (first.habits.median_ms, first.habits.chose_one, first.habits.a_share) == (40_000, 1, 0.0)


def test_only_the_newest_answers_make_the_habits(monkeypatch):
    monkeypatch.setattr("annotations.answering.watching.READ_IN_ALL", 5)
    monkeypatch.setattr("annotations.answering.watching.NEWEST_READ", 5)
    study = answered_study("many", instances=20, experts=2).study
    for days, one in enumerate(study.assignments.order_by("pk")):
        Assignment.objects.filter(pk=one.pk).update(completed_at=timezone.now() - timedelta(days=days))
    study.assignments.filter(position__lt=5).update(completed_at=None)  # what is in hand is no answer, and not newer
    watched = watch(study)
    assert [expert.done for expert in watched.experts] == [15, 15]
    assert all(expert.habits.chose_one <= 5 for expert in watched.experts)
