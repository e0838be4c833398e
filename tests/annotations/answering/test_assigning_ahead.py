"""The assignment after the one in hand, fetched ahead: one at most, and nothing of its step 2."""

import uuid
from collections.abc import Callable
from functools import partial

import pytest

from annotations import designing
from annotations.answering.assigning import Handed, next_assignment
from annotations.api.studies import cards
from annotations.designing.lifecycle import change_state
from annotations.ground.errors import NotFound
from annotations.models import Assignment, ReportReason, Study, StudyState
from tests.annotations.answering.test_assigning import ask, run_at_once, user_of
from tests.worlds import answering, storing
from tests.worlds.answering import answer, complete
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db


def ahead_of(assignment: Assignment) -> Handed:
    assert assignment.expert is not None
    return answering.ahead_of(assignment.expert.user, assignment.token)


def in_hand(study: Study, number: int = 0) -> Assignment:
    assignment = ask(study, number).assignment
    assert assignment is not None
    return assignment


def ahead(assignment: Assignment) -> Assignment:
    following = ahead_of(assignment).assignment
    assert following is not None
    return following


def skip(assignment: Assignment) -> None:
    assert assignment.expert is not None
    storing.store_report(
        user=assignment.expert.user,
        token=assignment.token,
        key=uuid.uuid4(),
        reason=ReportReason.OTHER,
        skip=True,
    )


def test_what_was_fetched_ahead_is_what_comes_next():
    study = make_open_study(experts=1)
    first = in_hand(study)
    second = ahead(first)
    assert second.instance_id != first.instance_id
    assert (first.position, second.position) == (0, 1)
    assert in_hand(study) == first  # nothing changed for the one in hand
    complete(first)
    assert in_hand(study) == second


def test_asking_for_whichever_assignment_never_hands_out_more_than_one_ahead():
    study = make_open_study(dataset=make_dataset(instances=8), experts=1, instances_per_system=8)
    first = in_hand(study)
    second = ahead(first)
    for _ in range(2):
        assert ahead(first) == second
        assert ahead(second) == first
    assert study.assignments.taken().count() == 2
    complete(first)
    assert ahead(first) == second
    third = ahead(second)
    assert study.assignments.taken().count() == 3
    skip(second)
    assert ahead(second) == third


def test_nothing_of_step_2_is_loaded_before_its_own_step_1_is_stored():
    study = make_open_study(experts=1)
    first = in_hand(study)
    answer(first)
    second = ahead_of(first)
    assert second.assignment is not None
    assert second.assignment.comparison_shown_at is None
    assert "comparison" not in second.assignment._state.fields_cache
    answer(second.assignment)
    assert (ahead_of(first).assignment, ahead_of(first).finished) == (None, "")  # its step 2 is for `next_assignment`


def test_named_assignments_come_ahead_in_their_planned_order():
    study = make_study(experts=4, assigning="named")
    plan_and_open(study)
    planned = list(study.memberships.experts()[0].assignments.order_by("position"))
    for current, following in zip(planned, [*planned[1:], None], strict=True):
        assert in_hand(study) == current
        assert ahead_of(current).assignment == following
        complete(current)
    assert ask(study).finished == "all_done"


def test_at_the_last_one_there_is_nothing_ahead_and_it_says_why():
    study = make_open_study(
        dataset=make_dataset(instances=1, systems=1), experts=1, instances_per_system=1, experts_per_comparison=1
    )
    only = in_hand(study)
    assert ahead_of(only).finished == "nothing_available"
    complete(only)
    assert ahead_of(only).finished == "all_done"


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_a_study_that_stopped_hands_nothing_ahead_and_a_pause_keeps_what_was(state):
    study = make_open_study(experts=1)
    first = in_hand(study)
    second = ahead(first)
    change_state(study=study, to=StudyState(state))
    handed = ahead_of(first)
    assert (handed.assignment, handed.finished) == (None, state)
    if state == "paused":
        change_state(study=study, to=StudyState.OPEN)
        assert ahead(first) == second


def test_a_place_ahead_is_an_ordinary_claim():
    """Whoever gives back places of experts that do not return finds it like any other."""
    study = make_open_study(experts=1)
    place = ahead(in_hand(study))
    assert place.claimed_at is not None
    assert (place.completed_at, place.released_at) == (None, None)


def test_progress_does_not_change_because_something_was_fetched_ahead():
    study = make_open_study(
        dataset=make_dataset(instances=6), experts=4, instances_per_system=6, experts_per_comparison=1
    )
    user = user_of(study)
    for turn in range(3):  # everybody's part of the pool
        current = in_hand(study)
        before, card = ask(study).progress, cards(user)[0]["progress"]
        assert before.total == card["total"] == 3
        assert (ahead_of(current).assignment is None) == (turn == 2)  # not beyond what was promised
        assert ask(study).progress == before
        assert cards(user)[0]["progress"] == card
        complete(current)
    assert (ask(study).progress.total, ask(study).more) == (3, 3)


def test_only_the_expert_of_the_assignment_fetches_ahead_of_it(make_user):
    study = make_open_study(experts=2)
    first = in_hand(study)
    for user in (user_of(study, 1), make_user("stranger@example.org")):
        with pytest.raises(NotFound):
            answering.ahead_of(user, first.token)
    assert study.assignments.taken().count() == 1


# -- all at once, with real threads


@pytest.mark.django_db(transaction=True)
def test_one_expert_asking_in_many_tabs_holds_two_places_at_most():
    study = make_open_study(dataset=make_dataset(instances=8), experts=1, instances_per_system=8)
    user, first = user_of(study), in_hand(study)
    jobs: list[Callable[[], object]] = [partial(answering.ahead_of, user, first.token)] * 6
    jobs += [partial(next_assignment, user=user, slug=study.slug)] * 6
    got = {one.assignment.pk for one in run_at_once(jobs) if isinstance(one, Handed) and one.assignment}
    assert len(got) == study.assignments.taken().count() == 2


@pytest.mark.django_db(transaction=True)
def test_fetching_ahead_in_parallel_fills_every_place_once_and_nobody_sees_an_instance_twice():
    study = make_study(dataset=make_dataset(instances=6, systems=4), instances_per_system=3, experts_per_comparison=4)
    for number in range(designing.propose(study=study).experts_needed):
        make_expert(study, f"expert{number}@example.org")
    plan_and_open(study)

    def work(number: int) -> None:
        current = ask(study, number).assignment
        while current:
            following = ahead_of(current).assignment
            complete(current)
            current = following or ask(study, number).assignment

    run_at_once([partial(work, expert.number) for expert in study.memberships.experts()])
    taken = list(study.assignments.taken().values_list("expert", "instance"))
    assert len(taken) == len(set(taken)) == study.assignments.completed().count() == 4 * 3 * 4
