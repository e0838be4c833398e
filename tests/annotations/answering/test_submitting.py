"""An answer and what comes next, in one transaction: step 2 comes with the text after it, and never with more."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from annotations import designing
from annotations.answering.labelling import UnknownLabel
from annotations.answering.refusals import NotAccepting, StepLocked
from annotations.answering.submitting import LabelsTaken, Taken, submit_labels, submit_preference, submit_report
from annotations.answering.tally import ExpertTally
from annotations.designing.lifecycle import change_state
from annotations.ground.errors import NotFound
from annotations.models import Assignment, ReportReason, Study, StudyState
from tests.annotations.answering.test_assigning import ask, run_at_once, user_of
from tests.worlds import storing
from tests.worlds.answering import complete
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_open_study(dataset=make_dataset(instances=8), experts=1, instances_per_system=8)


def in_hand(study: Study, number: int = 0) -> Assignment:
    assignment = ask(study, number).assignment
    assert assignment is not None
    return assignment


def labels(assignment: Assignment, *, key: uuid.UUID | None = None, chosen: int = 0) -> LabelsTaken:
    assert assignment.expert is not None
    user, token = assignment.expert.user, assignment.token
    return submit_labels(user=user, token=token, key=key or uuid.uuid4(), labels=[chosen], active_ms=1000)


def preference(assignment: Assignment, *, key: uuid.UUID | None = None, ahead: uuid.UUID | None = None) -> Taken:
    assert assignment.expert is not None
    both = assignment.comparison.identical
    answer = {"a_chosen": True, "b_chosen": both, "certainty": 0.7, "active_ms": 1000}
    who = {"user": assignment.expert.user, "token": assignment.token}
    return submit_preference(**who, **answer, key=key or uuid.uuid4(), ahead=ahead)


def test_labels_bring_step_2_and_the_one_after_it_of_which_nothing_of_step_2_is_loaded(study):
    first = in_hand(study)
    taken = labels(first)
    assert taken.step_2.assignment == first
    assert taken.step_2.labels == taken.response.labels == [0]
    second = taken.next.assignment
    assert second is not None
    assert second.instance_id != first.instance_id
    assert (second.position, second.side_order, second.turn, second.comparison_shown_at) == (1, "", None, None)
    assert "comparison" not in second._state.fields_cache
    assert in_hand(study) == first  # nothing changed for the one in hand
    assert preference(first, ahead=second.token).next is None
    assert in_hand(study) == second


def test_a_page_without_the_next_text_gets_it_with_the_preference(study):
    first = in_hand(study)
    second = labels(first).next.assignment
    following = preference(first).next
    assert following is not None
    assert following.assignment == second == in_hand(study)
    assert following.assignment.comparison_shown_at is None
    assert study.assignments.taken().count() == 2


def test_sending_again_under_the_same_key_hands_out_nothing_more(study):
    first, key = in_hand(study), uuid.uuid4()
    one, again = (labels(first, key=key) for _ in range(2))
    assert one.next.assignment == again.next.assignment
    assert (one.response, one.step_2.assignment) == (again.response, again.step_2.assignment)
    stored, once_more = (preference(first, key=key) for _ in range(2))
    assert stored.response == once_more.response
    assert stored.next is not None
    assert once_more.next is not None
    assert stored.next.assignment == once_more.next.assignment == one.next.assignment
    late = labels(first, key=key)  # crossed with the preference
    assert (late.step_2.assignment, late.next.assignment) == (first, one.next.assignment)
    assert study.assignments.taken().count() == 2


def test_progress_is_that_after_the_answer(study):
    first = in_hand(study)
    total = ask(study).progress.total
    taken = labels(first)
    assert (taken.next.progress.done, taken.next.progress.total) == (0, total)
    for ahead in (None, uuid.uuid4()):
        stored = preference(in_hand(study), ahead=ahead)
        assert stored.progress == ask(study).progress
        labels(in_hand(study))
    assert stored.progress.done == 2


def test_what_is_refused_hands_out_nothing(study):
    first = in_hand(study)
    with pytest.raises(UnknownLabel):
        labels(first, chosen=99)
    assert study.assignments.taken().count() == 1
    storing.store_labels(user=user_of(study), token=first.token, key=uuid.uuid4(), labels=[0])
    with pytest.raises(StepLocked):
        labels(first, chosen=1)
    assert study.assignments.taken().count() == 1


def test_if_the_other_one_in_hand_is_at_step_2_nothing_of_it_is_handed_ahead(study):
    first = in_hand(study)
    second = labels(first).next.assignment
    taken = labels(second)  # as a page sends it that was away from step 2 of the first
    assert (taken.next.assignment, taken.next.labels, taken.next.finished, taken.next.more) == (None, None, "", 0)
    following = preference(second).next
    assert following is not None
    assert (following.assignment, following.finished) == (None, "")
    assert in_hand(study) == first
    assert study.assignments.taken().count() == 2


def skip(assignment: Assignment, *, key: uuid.UUID | None = None, **changes: Any) -> Taken:
    assert assignment.expert is not None
    report = {"reason": ReportReason.OTHER, "skip": True, "key": key or uuid.uuid4()} | changes
    return submit_report(user=assignment.expert.user, token=assignment.token, **report)


def test_a_skipped_text_brings_the_next_and_a_mere_report_brings_none(study):
    first, key = in_hand(study), uuid.uuid4()
    total = ask(study).progress.total
    told = submit_report(user=user_of(study), token=first.token, key=uuid.uuid4(), reason=ReportReason.OTHER)
    assert (told.next, told.progress) == (None, ask(study).progress)
    one, again = (skip(first, key=key) for _ in range(2))
    assert one.next is not None
    assert again.next is not None
    assert one.next.assignment == again.next.assignment == in_hand(study) != first
    assert one.progress == again.progress == ask(study).progress
    assert one.progress.total == total - 1  # eight texts, and one is skipped
    second = in_hand(study)
    ahead = labels(second).next.assignment
    assert ahead is not None
    assert skip(second, ahead=ahead.token).next is None
    assert in_hand(study) == ahead
    assert ExpertTally.counted(study.memberships.experts()[0]).given == 1


@pytest.mark.parametrize("state", [StudyState.PAUSED, StudyState.CLOSED])
def test_a_study_that_stopped_acknowledges_what_it_has_and_hands_out_nothing(study, state):
    first, key = in_hand(study), uuid.uuid4()
    labels(first, key=key)
    change_state(study=study, to=state)
    again = labels(first, key=key)
    assert again.step_2.assignment == first
    assert (again.next.assignment, again.next.finished) == (None, state)
    with pytest.raises(NotAccepting):
        preference(first)


def test_labels_of_a_text_that_was_given_back_show_nothing(study):
    first, key = in_hand(study), uuid.uuid4()
    labels(first, key=key)
    storing.store_report(user=user_of(study), token=first.token, key=uuid.uuid4(), reason=ReportReason.OTHER, skip=True)
    with pytest.raises(NotFound):
        labels(first, key=key)
    assert study.assignments.taken().count() == 1  # the one ahead


def test_with_the_last_text_it_is_said_that_nothing_comes_and_what_may_be_asked_for():
    study = make_open_study(
        dataset=make_dataset(instances=6), experts=4, instances_per_system=6, experts_per_comparison=1
    )
    for _ in range(2):  # of three, which is everybody's part
        complete(in_hand(study))
    last = in_hand(study)
    ahead = labels(last).next
    assert (ahead.assignment, ahead.finished, ahead.more) == (None, "all_done", 3)
    following = preference(last).next
    assert following is not None
    assert (following.assignment, following.finished, following.more) == (None, "all_done", 3)


def test_named_assignments_come_ahead_in_their_planned_order():
    study = make_study(experts=4, assigning="named")
    plan_and_open(study)
    planned = list(study.memberships.experts()[0].assignments.order_by("position"))
    for current, following in zip(planned, [*planned[1:], None], strict=True):
        assert in_hand(study) == current
        assert labels(current).next.assignment == following
        preference(current)
    assert ask(study).finished == "all_done"


# -- all at once, with real threads


@pytest.mark.django_db(transaction=True)
def test_one_expert_sending_from_many_tabs_holds_two_places_at_most():
    study = make_open_study(dataset=make_dataset(instances=8), experts=1, instances_per_system=8)
    first, key = in_hand(study), uuid.uuid4()
    jobs: list[Callable[[], object]] = [partial(labels, first, key=key)] * 4
    jobs += [partial(labels, first) for _ in range(4)]
    jobs += [partial(ask, study)] * 2
    taken = [one for one in run_at_once(jobs) if isinstance(one, LabelsTaken)]
    assert len(taken) == 8
    assert len({one.next.assignment.pk for one in taken if one.next.assignment}) == 1
    assert first.labelresponses.count() == 1
    assert study.assignments.taken().count() == 2


@pytest.mark.django_db(transaction=True)
def test_answering_in_parallel_fills_every_place_once_and_nobody_sees_an_instance_twice():
    study = make_study(dataset=make_dataset(instances=6, systems=4), instances_per_system=3, experts_per_comparison=4)
    for number in range(designing.propose(study=study).experts_needed):
        make_expert(study, f"expert{number}@example.org")
    plan_and_open(study)

    def work(number: int) -> None:
        current = ask(study, number).assignment
        while current:
            ahead = labels(current).next.assignment
            following = preference(current, ahead=ahead and ahead.token).next
            current = ahead or (following and following.assignment) or ask(study, number).assignment

    run_at_once([partial(work, expert.number) for expert in study.memberships.experts()])
    taken = list(study.assignments.taken().values_list("expert", "instance"))
    assert len(taken) == len(set(taken)) == study.assignments.completed().count() == 4 * 3 * 4
