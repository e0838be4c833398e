"""An expert's tally is missing or exactly what counting everything gives, whoever changes what, in whatever order."""

import contextlib
import random
import uuid
from collections import Counter
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.answering import assigning, correcting, moderating, submitting
from annotations.answering.pool import texts_left
from annotations.answering.progress import history, progress_now, saved_at
from annotations.answering.standing import ExpertStanding, current_progress
from annotations.answering.tally import ExpertTally
from annotations.designing.places import pausing, reassigning
from annotations.errors import HLVError
from annotations.models import Assigning, Assignment, Instance, Membership, Report, ReportReason, Study
from annotations.people import leaving
from tests.worlds import storing
from tests.worlds.answering import answer, complete
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_open_study

pytestmark = pytest.mark.django_db


def fresh(study: Study) -> list[Membership]:
    return list(study.memberships.experts().select_related("study", "user").order_by("number"))


def check(study: Study) -> None:
    """Each stored tally is what counting gives, and progress from it what counting everything gives."""
    for expert in fresh(study):
        counted = ExpertTally.counted(expert)
        stored = ExpertTally.of(expert)
        stored.pool = None
        assert stored == counted, f"expert {expert.number}"
        if expert.is_active:
            loaded = assigning.expert_of(expert.user, study__slug=study.slug)
            standing = ExpertStanding.of(loaded)
            assert standing.progress() == progress_now(expert.pk)
            assert standing.tally.saved_at == saved_at(history(expert))


def someone(study: Study, draws: random.Random) -> tuple[Membership, list[Assignment], list[Assignment]]:
    """An expert, what is theirs, and what of that is unfinished."""
    expert = draws.choice(fresh(study))
    mine = list(expert.assignments.filter(released_at=None).order_by("position"))
    return expert, mine, [one for one in mine if one.completed_at is None]


def submit(study, draws):
    """As a page does: what comes next is handed out in the same transaction, with either step."""
    expert, _, unfinished = someone(study, draws)
    mine = {"user": expert.user, "token": draws.choice(unfinished).token}
    ahead = submitting.submit_labels(**mine, key=uuid.uuid4(), labels=[0], active_ms=draws.randrange(9000)).next
    check(study)
    told = ahead.assignment.token if ahead.assignment and draws.randrange(2) else None
    answer = {"a_chosen": True, "b_chosen": True, "certainty": 0.2, "active_ms": draws.randrange(9000)}
    submitting.submit_preference(**mine, **answer, key=uuid.uuid4(), ahead=told)


def answer_labels(study, draws):
    _, _, unfinished = someone(study, draws)
    answer(unfinished[0], ms=draws.randrange(9000))


def answer_both(study, draws):
    _, _, unfinished = someone(study, draws)
    complete(unfinished[0], labels_ms=draws.randrange(9000), preference_ms=draws.randrange(9000))


def report(study, draws):
    expert, _, unfinished = someone(study, draws)
    storing.store_report(
        user=expert.user,
        token=unfinished[0].token,
        key=uuid.uuid4(),
        reason=ReportReason.IDENTIFIES_A_PERSON,
        skip=bool(draws.randrange(3)),
    )


def correct(study, draws):
    expert, mine, _ = someone(study, draws)
    last = max(mine, key=lambda one: (one.completed_at is not None, one.position))
    answered = {"a_chosen": bool(draws.randrange(2)), "b_chosen": True, "certainty": 0.1, "active_ms": 5}
    correcting.store_correction(user=expert.user, token=last.token, key=uuid.uuid4(), **answered)


def hand_over(study, draws):
    free = study.assignments.free().values_list("comparison__position", flat=True)
    reassigning.give(study=study, expert=someone(study, draws)[0], comparisons=[draws.choice(list(free))])


def withdraw(study, draws):
    told = draws.choice(list(Report.objects.all()))
    draws.choice([moderating.confirm, moderating.show_again])(report=told)


def pause(study, draws):
    name = draws.choice([one.name for one in study.dataset.systems.all()])
    draws.choice([pausing.pause_system, pausing.resume_system])(study=study, system=name)


ACTS = {
    lambda study, draws: assigning.next_assignment(user=someone(study, draws)[0].user, slug=study.slug): 6,
    lambda study, draws: assigning.ask_for_more(user=someone(study, draws)[0].user, slug=study.slug): 1,
    lambda study, draws: leaving.leave(member=someone(study, draws)[0]): 1,
    lambda study, draws: leaving.come_back(member=someone(study, draws)[0]): 3,
    submit: 4,
    answer_labels: 5,
    answer_both: 9,
    report: 3,
    correct: 1,
    hand_over: 2,
    withdraw: 1,
    pause: 1,
}


def walk(study: Study, draws: random.Random, steps: int) -> None:
    for _ in range(steps):
        act = draws.choices(list(ACTS), weights=list(ACTS.values()))[0]
        with contextlib.suppress(HLVError, IndexError, ValueError):  # refused, so nothing changed
            act(study, draws)
        check(study)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("experts", "leaves"), [(3, "kept"), (3, "left_out"), (2, "kept"), (2, "left_out")])
def test_a_random_walk_leaves_every_tally_as_counting_gives(seed, experts, leaves):
    study = make_open_study(
        dataset=make_dataset(instances=7, systems=2),
        experts=experts,
        instances_per_system=7,
        experts_per_comparison=2,
        repeats_per_expert=2 * (seed % 2),
        leaving=leaves,
    )
    walk(study, random.Random(seed), 30)
    assert Assignment.objects.completed().exists()


def test_any_change_of_an_assignment_empties_the_tally_of_its_expert_whoever_makes_it():
    study = make_open_study(dataset=make_dataset(instances=4), experts=2)
    first, second = fresh(study)
    for expert in (first, second):
        assigning.next_assignment(user=expert.user, slug=study.slug)
    assert [one.tally is not None for one in fresh(study)] == [True, True]
    Assignment.objects.filter(expert=first).update(claimed_at=timezone.now())
    assert [one.tally is not None for one in fresh(study)] == [False, True]
    place = second.assignments.get()
    Instance.objects.filter(pk=place.instance_id).update(withdrawn_at=timezone.now())
    assert [one.tally is not None for one in fresh(study)] == [False, False]


def test_places_that_leave_the_pool_untaken_void_what_was_assured_of_it():
    study = make_open_study(dataset=make_dataset(instances=4), experts=1)
    (expert,) = fresh(study)
    assigning.next_assignment(user=expert.user, slug=study.slug)
    before = Study.objects.get(pk=study.pk).pool_version
    study.assignments.free().filter(place=1).first().delete()
    assert Study.objects.get(pk=study.pk).pool_version == before + 1
    assert progress_now(expert.pk) == current_progress(expert.pk)


def test_the_pool_is_asked_no_further_than_needed_and_tells_what_a_pause_holds_back():
    study = make_open_study(dataset=make_dataset(instances=6, systems=1), experts=2, instances_per_system=6)
    expert, _ = fresh(study)
    assert [texts_left(expert, most=most, with_paused=False) for most in (0, 1, 4, 6, 99)] == [0, 1, 4, 6, 6]
    complete(assigning.next_assignment(user=expert.user, slug=study.slug).assignment)
    assert texts_left(expert, most=99, with_paused=False) == 5
    study.comparisons.update(is_paused=True)
    assert [texts_left(expert, most=99, with_paused=paused) for paused in (False, True)] == [0, 5]
    assert study.assigning == Assigning.OPEN_POOL


def looks_at_the_pool(act: Callable[[], object]) -> int:
    """How many times the texts that are left are counted meanwhile."""
    with CaptureQueriesContext(connection) as asked:
        act()
    return sum("WITH RECURSIVE" in one["sql"] for one in asked)


def test_only_who_takes_the_highest_free_place_of_a_comparison_can_cost_others_a_text():
    study = make_open_study(dataset=make_dataset(instances=2, systems=1), experts=3, instances_per_system=2)
    one, *others = fresh(study)
    complete(assigning.next_assignment(user=one.user, slug=study.slug).assignment)
    for other in others:
        while handed := assigning.next_assignment(user=other.user, slug=study.slug).assignment:
            complete(handed)
    taken = study.assignments.values_list("expert__number", "place")
    assert Counter(number for number, place in taken if place == 1) == {
        one.number: one.claims for one in fresh(study) if one.claims
    }


def test_the_pool_is_not_looked_at_again_where_others_cannot_take_every_place_of_a_text():
    study = make_open_study(dataset=make_dataset(instances=6, systems=1), experts=2, instances_per_system=6)
    first, second = fresh(study)
    assert looks_at_the_pool(lambda: assigning.next_assignment(user=first.user, slug=study.slug)) == 1
    for _ in range(6):
        complete(assigning.next_assignment(user=second.user, slug=study.slug).assignment)
    assert Membership.objects.get(pk=second.pk).claims
    mine = first.assignments.get()
    assert looks_at_the_pool(lambda: complete(mine)) == 0
    make_expert(study, "third@example.org")
    assert looks_at_the_pool(lambda: assigning.next_assignment(user=first.user, slug=study.slug)) == 0  # as stored
    assert progress_now(first.pk) == current_progress(first.pk)
