"""A paused system: nothing of it is handed out, nothing is lost, and no expert is told."""

from collections import Counter

import pytest
from django.utils import timezone

from annotations.answering.assigning import ask_for_more, next_assignment
from annotations.answering.watching import watch
from annotations.designing.adjusting import (
    NoSuchSystem,
    NotBegun,
    pause_system,
    resume_system,
    running_systems,
)
from annotations.designing.applying import StudyClosed, assign_named, least_covered
from annotations.designing.lifecycle import change_state
from annotations.designing.reassigning import Refused, give
from annotations.models import Assignment, Event, EventKind, StudyState
from tests.annotations.answering.test_assigning import run_at_once
from tests.worlds.answering import ahead_of, complete, complete_all, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Six comparisons of two systems on six texts for two experts each, and three experts: four for everybody."""
    return make_open_study(dataset=make_dataset(instances=6), experts=3)


def names(study):
    return [one.name for one in running_systems(study)]


def user(study, number=0):
    return study.memberships.get(number=number).user


def system_of(assignment):
    return assignment.comparison.second_system.name


def hand(who):
    return next_assignment(user=who, slug="study")


def test_nothing_of_a_paused_system_is_handed_out_until_it_is_resumed(study):
    paused, other = names(study)
    pause_system(study=study, system=paused)
    got = complete_all(user(study))
    assert [system_of(one) for one in got] == [other] * 3
    resume_system(study=study, system=paused)
    assert [system_of(one) for one in complete_all(user(study))] == [paused] * 3
    assert [event.kind for event in Event.objects.filter(data__system=paused).order_by("pk")] == [
        EventKind.SYSTEM_PAUSED,
        EventKind.SYSTEM_RESUMED,
    ]


def test_what_an_expert_has_in_hand_can_still_be_answered(study):
    mine = taken(user(study))
    ahead = ahead_of(user(study), mine.token).assignment
    for system in names(study):
        pause_system(study=study, system=system)
    assert complete(mine)
    assert hand(user(study)).assignment == ahead
    assert complete(ahead)
    assert hand(user(study)).assignment is None


def test_the_promised_total_is_kept_through_pause_and_resumption(study):
    assert hand(user(study)).progress.total == 4
    paused, _ = names(study)
    pause_system(study=study, system=paused)
    while (handed := hand(user(study))).assignment:
        assert handed.progress.total == 4
        complete(handed.assignment)
    assert (handed.progress.done, handed.progress.total) in {(3, 4), (4, 4)}
    assert handed.more == 0
    if handed.progress.done < 4:
        assert handed.finished == "nothing_available"
        assert ask_for_more(user=user(study), slug="study").assignment is None
    resume_system(study=study, system=paused)
    assert hand(user(study)).progress.total == 4
    # Who comes only during a pause is promised as much as anybody.
    pause_system(study=study, system=paused)
    assert hand(user(study, 1)).progress.total == 4


def test_places_that_were_given_by_name_wait_with_their_expert():
    study = make_open_study(dataset=make_dataset(instances=6), experts=4, assigning="named")
    paused, other = names(study)
    expert = study.memberships.get(number=0)
    total = expert.assignments.count()
    study = pause_system(study=study, system=paused)
    waiting = dict.fromkeys(range(4), 0) | Counter(
        study.assignments.filter(comparison__is_paused=True).values_list("expert__number", flat=True)
    )
    assert {one.number: one.waiting for one in watch(study).experts} == waiting
    assert watch(study).waiting == sum(waiting.values()) == 6
    got = complete_all(expert.user)
    assert {system_of(one) for one in got} <= {other}
    last = hand(expert.user)
    assert last.progress.total == total
    assert last.finished == ("all_done" if len(got) == total else "nothing_available")
    resume_system(study=study, system=paused)
    complete_all(expert.user)
    assert expert.assignments.filter(completed_at=None).count() == 0
    assert hand(expert.user).finished == "all_done"
    # Who answered does not wait, even where it was restored without when it began.
    expert.assignments.update(claimed_at=None)
    study = pause_system(study=study, system=paused)
    waiting[0] = 0
    assert {one.number: one.waiting for one in watch(study).experts} == waiting


def test_what_waits_is_counted_apart_and_the_forecast_leaves_it_out(study):
    paused, _ = names(study)
    assert watch(study).waiting == 0
    study = pause_system(study=study, system=paused)
    watched = watch(study)
    assert (watched.total, watched.waiting) == (12, 6)
    for number in range(3):
        complete_all(user(study, number))
    watched = watch(study, now=timezone.now())
    assert (watched.done, watched.total, watched.lacking) == (6, 12, 0)
    assert watched.forecast.reason == "Only places of paused systems are left."
    assert [expert.has_more for expert in watched.experts if expert.done] == [False, False]


def test_nothing_of_a_paused_system_can_be_given_by_hand(study):
    paused, _ = names(study)
    pause_system(study=study, system=paused)
    expert = study.memberships.get(number=0)
    one = study.comparisons.filter(is_paused=True).first()
    for extra in (False, True):
        with pytest.raises(Refused, match="one of its systems is paused"):
            give(study=study, expert=expert, comparisons=[one.position], extra=extra)
    assert {c.is_paused for c in least_covered(study=study, expert=expert, count=9)} == {False}
    assign_named(study=study, expert=expert, comparisons=least_covered(study=study, expert=expert, count=9))


def test_of_two_systems_in_one_comparison_both_must_be_resumed():
    dataset = make_dataset(instances=6, systems=4)
    study = make_open_study(dataset=dataset, compares="system_vs_system", instances_per_system=3, experts=2)
    pair = study.comparisons.first()
    for system in (pair.first_system, pair.second_system):
        pause_system(study=study, system=system.name)
    resume_system(study=study, system=pair.first_system.name)
    pair.refresh_from_db()
    assert pair.is_paused
    resume_system(study=study, system=pair.second_system.name)
    assert not study.comparisons.filter(is_paused=True).exists()


def test_doing_it_twice_changes_nothing(study):
    paused, _ = names(study)
    for _ in range(2):
        pause_system(study=study, system=paused)
    for _ in range(2):
        resume_system(study=study, system=paused)
    assert Event.objects.filter(kind__in=[EventKind.SYSTEM_PAUSED, EventKind.SYSTEM_RESUMED]).count() == 2


def test_drafts_closed_studies_and_unknown_systems_are_refused(study):
    with pytest.raises(NoSuchSystem):
        pause_system(study=study, system="Nobody")
    with pytest.raises(NotBegun):
        pause_system(study=make_study(dataset=study.dataset, slug="draft"), system="Nobody")
    change_state(study=study, to=StudyState.CLOSED)
    with pytest.raises(StudyClosed):
        pause_system(study=study, system=names(study)[0])


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_claims_and_a_pause_in_parallel_leave_no_place_claimed_after_the_pause():
    """Eight experts claim while a system is paused: what they got of it they got before the pause was over."""
    study = plan_and_open(make_study(dataset=make_dataset(instances=8), instances_per_system=4, experts=8))
    paused = names(study)[0]
    ends = []

    def pause():
        pause_system(study=study, system=paused)
        ends.append(timezone.now())

    def claim(number):
        def act():
            for _ in range(2):
                handed = hand(user(study, number)).assignment
                if handed:
                    complete(handed)

        return act

    run_at_once([*(claim(number) for number in range(4)), pause, *(claim(number) for number in range(4, 8))])
    late = Assignment.objects.filter(study=study, comparison__is_paused=True, claimed_at__gt=ends[0])
    assert not late.exists()
    for number in range(8):
        complete_all(user(study, number))
    assert not Assignment.objects.filter(study=study, comparison__is_paused=True, claimed_at__gt=ends[0]).exists()
