"""How far an expert is: counted in their own study, from the newest answers, whatever other study they answer in."""

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotations.answering.assigning import next_assignment
from annotations.models import (
    Assigning,
    Assignment,
    Instance,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Role,
    Study,
)
from tests.worlds.answering import answer, complete, complete_all, past_of
from tests.worlds.datasets import make_dataset
from tests.worlds.history import history, minutes_left, progress_now, progress_of, saved_at
from tests.worlds.studies import make_expert, make_member, make_open_study

pytestmark = pytest.mark.django_db


def expert_of(study, number=0):
    return study.memberships.experts().select_related("user", "study").get(number=number)


def take(expert):
    return next_assignment(user=expert.user, slug=expert.study.slug).assignment


def drain(expert):
    """Answer until nothing more is given."""
    return complete_all(expert.user, expert.study.slug)


def totals(study):
    return [progress_now(one.pk).total for one in study.memberships.experts().order_by("number")]


@pytest.fixture
def study():
    """Six comparisons for two experts each, and three experts: four for everybody."""
    return make_open_study(dataset=make_dataset(instances=6), experts=3)


@pytest.fixture
def neighbour(study):
    """Another study, on other texts, with four places a comparison and the same experts among eight."""
    dataset = make_dataset(instances=6, slug="of-the-neighbour")
    return make_open_study(dataset=dataset, slug="neighbour", experts=8, experts_per_comparison=4)


def test_everybodys_part_is_that_of_their_own_study(study, neighbour):
    assert totals(study) == [4, 4, 4]
    assert totals(neighbour) == [3] * 8


def test_a_study_with_fewer_comparisons_next_door_makes_nobodys_part_smaller(study):
    before = totals(study)
    smaller = make_open_study(dataset=study.dataset, slug="smaller", experts=4, instances_per_system=1)
    assert totals(smaller) == [1] * 4  # two comparisons with two places
    assert totals(study) == before == [4, 4, 4]


def test_withdrawn_texts_leave_everybody_a_smaller_part(study):
    withdrawn = study.dataset.instances.filter(position__lt=3).values("pk")
    Instance.objects.filter(pk__in=withdrawn).update(withdrawn_at=timezone.now())
    assert totals(study) == [2, 2, 2]  # three comparisons with two places, for three


def test_answers_in_another_study_change_nothing(study, neighbour):
    mine, elsewhere = expert_of(study), expert_of(neighbour)
    assert mine.user == elsewhere.user
    done = drain(elsewhere)
    assert {one.study_id for one in done} == {neighbour.pk}
    first = take(mine)
    assert (first.study_id, first.position) == (study.pk, 0)
    complete(first)
    assert [one.pk for one in history(mine)] == [first.pk]
    progress = progress_now(mine.pk)
    assert (progress.done, progress.total) == (1, 4)


def test_who_finds_the_pool_empty_is_promised_nothing_though_another_study_has_places(study, neighbour):
    first, second, late = (expert_of(study, number) for number in range(3))
    for expert in (first, second):
        drain(expert)
    assert [progress_now(one.pk).total for one in (first, second, late)] == [6, 6, 0]
    handed = next_assignment(user=late.user, slug=study.slug)
    assert (handed.assignment, handed.finished) == (None, "nothing_available")


def test_who_left_and_who_only_researches_leave_the_parts_of_the_others_larger(study):
    make_member(study, Role.RESEARCHER, "researcher@example.org")
    assert totals(study) == [4, 4, 4]
    Membership.objects.filter(pk=expert_of(study, 2).pk).update(is_active=False)
    assert totals(study)[:2] == [6, 6]


def test_the_rest_of_the_pool_counts_a_text_once_and_only_those_that_the_expert_has_not_had():
    study = make_open_study(dataset=make_dataset(instances=4, systems=2), experts=2, instances_per_system=4)
    expert = expert_of(study)
    assert study.comparisons.count() == 8  # two on each of four texts
    assert progress_now(expert.pk).total == 4
    complete(take(expert))
    assert (progress_now(expert.pk).done, progress_now(expert.pk).total) == (1, 4)


def test_the_newest_revision_of_each_step_counts_and_the_newest_answer_says_when(study):
    expert = expert_of(study)
    assignment = take(expert)
    labels, preference = answer(assignment, ms=1000), None
    assert saved_at(history(expert)) == labels.created_at
    assignment.refresh_from_db()
    preference = complete(assignment, preference_ms=2000)
    assert saved_at(history(expert)) == preference.created_at
    later = preference.created_at + timedelta(minutes=1)
    shared = {"assignment": assignment, "revision": 1, "created_at": later}
    PreferenceResponse.objects.create(**shared, key=uuid.uuid4(), a_chosen=False, b_chosen=True, active_ms=7000)
    (past,) = history(expert)
    assert (past.labels, past.labels_ms, past.preference_ms, past.milliseconds) == ([0], 1000, 7000, 8000)
    assert saved_at([past]) == later


def test_history_is_in_the_order_in_which_the_expert_got_it_with_what_became_of_each(study):
    expert = expert_of(study)
    for _ in range(3):
        complete(take(expert))
    unfinished = take(expert)
    assert [one.position for one in history(expert)] == [0, 1, 2, 3]
    assert [one.is_completed for one in history(expert)] == [True, True, True, False]
    Assignment.objects.filter(pk=unfinished.pk).update(released_at=unfinished.claimed_at)
    assert [one.counts for one in history(expert)] == [True, True, True, False]
    assert LabelResponse.objects.filter(assignment__expert=expert).count() == 3


def test_who_has_more_than_their_part_is_told_what_they_have_but_what_was_fetched_ahead_is_not_more():
    expert = Membership(study=Study(assigning=Assigning.OPEN_POOL, experts_per_comparison=1))
    vars(expert).update(
        study_comparisons=6, study_experts=2, pool_instances=2, pool_waiting=0
    )  # everybody's part: three
    done = [past_of(position) for position in range(3)]
    in_hand, ahead = (past_of(position, completed_at=None) for position in (3, 4))
    assert progress_of(expert, done[:2]).total == 3
    assert progress_of(expert, [*done[:2], in_hand, ahead]).total == 3
    assert progress_of(expert, [*done, in_hand]).total == 4
    given_back, withdrawn = replace(in_hand, is_released=True), replace(in_hand, is_withdrawn=True)
    assert progress_of(expert, [*done, given_back, withdrawn]).total == 3
    assert progress_of(expert, [*done, given_back, withdrawn]).done == 3


def test_only_what_was_never_shown_is_held_back_by_a_pause():
    given = past_of(0, claimed_at=None, completed_at=None, is_paused=True)
    assert given.is_held_back is True
    for change in ({"is_paused": False}, {"claimed_at": timezone.now()}, {"is_withdrawn": True}, {"is_released": True}):
        assert replace(given, **change).is_held_back is False


def test_a_text_that_was_withdrawn_after_its_answer_still_counts_but_does_not_come_again():
    expert = Membership(study=Study(assigning=Assigning.NAMED, repeats_per_expert=2))
    done = [past_of(position, is_pilot=False) for position in range(3)]
    assert progress_of(expert, done).total == 3 + 2
    gone = [replace(one, is_withdrawn=True) for one in done]
    assert progress_of(expert, [*done[:1], *gone[1:]]).total == 3 + 1
    assert progress_of(expert, gone).total == 3


@pytest.mark.parametrize("unknown", [{"labels_ms": None}, {"preference_ms": None}, {"completed_at": None}])
def test_answers_whose_time_is_unknown_say_nothing_of_the_pace(unknown):
    minute = [past_of(position, labels_ms=60_000) for position in range(3)]
    longer = [past_of(position, **{"labels_ms": 600_000} | unknown) for position in range(3, 6)]
    assert minutes_left([*minute, *longer], left=2) == 2
    assert minutes_left([*minute[:2], *longer], left=2) is None


def test_a_new_expert_makes_the_parts_of_all_smaller(study):
    for number in range(3, 6):
        make_expert(study, f"expert{number}@example.org")
    assert totals(study) == [2] * 6
