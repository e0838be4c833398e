"""An expert's tally is exactly what counting everything in Python gives, whoever changed what, in whatever order."""

import contextlib
import random
import uuid

import pytest
from django.db import transaction

from annotations.answering import assigning, moderating, past_answers, progress, recording
from annotations.answering.experts import expert_of
from annotations.answering.progress import IN_HAND, ExpertTally, ExpertWorkload, saved_at, texts_left
from annotations.answering.turns import Turns
from annotations.designing import adjusting, reassigning
from annotations.ground.errors import HLVError
from annotations.models import Assigning, Assignment, Membership, Report, ReportReason, Study
from annotations.people.membership import leaving
from tests.worlds import storing
from tests.worlds.answering import answer, complete
from tests.worlds.datasets import make_dataset
from tests.worlds.history import history, offered, progress_of, with_pool
from tests.worlds.history import saved_at as saved_before
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db


def fresh(study: Study) -> list[Membership]:
    return list(study.memberships.experts().select_related("study", "user").order_by("number"))


def check(study: Study) -> None:
    """What the database counts is what counting everything in Python gives."""
    for expert in fresh(study):
        past, workload = history(expert), ExpertWorkload(expert)
        tally = workload.tally
        unfinished = [one for one in past if one.is_unfinished]
        once = [one for one in past if one.is_first_time]
        assert tally.done == sum(one.counts and one.is_completed for one in past)
        assert tally.once == sum(one.is_completed for one in once)
        assert tally.given == sum(not one.is_completed for one in once)
        assert tally.begun == sum(one.repeat_of is None and one.claimed_at is not None for one in unfinished)
        assert tally.again == sum(one.repeat_of is not None for one in unfinished)
        assert tally.repeats == sum(one.repeat_of is not None for one in past)
        assert tally.position == max((one.position for one in past), default=-1) + 1
        in_hand = [one.pk for one in unfinished if not one.is_held_back]
        assert [one.pk for one in workload.unfinished] == in_hand[:IN_HAND]
        assert saved_at(expert) == saved_before(past)
        assert Turns.counted(expert, tally).state == Turns.of(expert).state
        if expert.is_active:
            counted = with_pool(Membership.objects.filter(pk=expert.pk)).select_related("study").get()
            assert workload.progress() == progress_of(counted, past)
            assert workload.offered() == offered(counted, past)


def someone(study: Study, draws: random.Random) -> tuple[Membership, list[Assignment], list[Assignment]]:
    """An expert, what is theirs, and what of that is unfinished."""
    expert = draws.choice(fresh(study))
    mine = list(expert.assignments.filter(released_at=None).order_by("position"))
    return expert, mine, [one for one in mine if one.completed_at is None]


def submit(study, draws):
    """As a page does: what comes next is handed out in the same transaction, with either step."""
    expert, _, unfinished = someone(study, draws)
    mine = {"user": expert.user, "token": draws.choice(unfinished).token}
    ahead = recording.submit_labels(**mine, key=uuid.uuid4(), labels=[0], active_ms=draws.randrange(9000)).next
    check(study)
    told = ahead.assignment.token if ahead.assignment and draws.randrange(2) else None
    answer = {"a_chosen": True, "b_chosen": True, "certainty": 0.2, "active_ms": draws.randrange(9000)}
    recording.submit_preference(**mine, **answer, key=uuid.uuid4(), ahead=told)


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
    past_answers.store_correction(user=expert.user, token=last.token, key=uuid.uuid4(), **answered)


def hand_over(study, draws):
    free = study.assignments.free().values_list("comparison__position", flat=True)
    reassigning.give(study=study, expert=someone(study, draws)[0], comparisons=[draws.choice(list(free))])


def withdraw(study, draws):
    told = draws.choice(list(Report.objects.all()))
    draws.choice([moderating.confirm, moderating.show_again])(report=told)


def pause(study, draws):
    name = draws.choice([one.name for one in study.dataset.systems.all()])
    draws.choice([adjusting.pause_system, adjusting.resume_system])(study=study, system=name)


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


@pytest.mark.parametrize(("seed", "experts", "leaves"), [(0, 3, "kept"), (1, 2, "left_out")])
def test_after_whatever_happened_the_database_counts_as_python_does(seed, experts, leaves):
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


COUNTED = ("done", "once", "given", "begun", "again", "repeats", "position", "turn", "lead", "times", "possible")


def numbers(tally: ExpertTally) -> dict[str, object]:
    return {name: getattr(tally, name) for name in COUNTED}


@pytest.mark.parametrize("assigning_by", ["open_pool", "named"])
def test_what_is_handed_out_is_counted_in_memory_as_the_database_counts_it_afterwards(assigning_by):
    study = make_open_study(
        dataset=make_dataset(instances=6), experts=4, repeats_per_expert=1, assigning=Assigning(assigning_by)
    )
    expert = study.memberships.experts().order_by("number")[0]
    while True:
        workload = ExpertWorkload(expert_of(expert.user, study__slug=study.slug))
        assert workload.tally.done < 9
        with transaction.atomic():
            handed = assigning.hand(workload)
        assert numbers(workload.tally) == numbers(ExpertTally.counted(workload.expert))
        if handed.assignment is None:
            break
        complete(handed.assignment)
    assert (workload.tally.repeats, handed.finished) == (1, "all_done")


def test_a_key_that_is_still_to_be_made_is_made_with_the_first_turn_and_tallied_with_its_study():
    study = make_open_study(experts=1)
    study.side_keys.all().delete()
    (expert,) = fresh(study)
    assert ExpertTally.counted(expert).key is None
    complete(assigning.next_assignment(user=expert.user, slug=study.slug).assignment)
    made, tallied = study.side_keys.get(), ExpertTally.counted(expert).key
    assert tallied is not None
    assert (tallied.study, tallied.phase, tallied.name, tallied.key) == (study, made.phase, made.name, bytes(made.key))


def test_the_pool_is_asked_no_further_than_needed_and_tells_what_a_pause_holds_back():
    study = make_open_study(dataset=make_dataset(instances=6, systems=1), experts=2, instances_per_system=6)
    expert, _ = fresh(study)
    assert [texts_left(expert, most=most, with_paused=False) for most in (0, 1, 4, 6, 99)] == [0, 1, 4, 6, 6]
    complete(assigning.next_assignment(user=expert.user, slug=study.slug).assignment)
    assert texts_left(expert, most=99, with_paused=False) == 5
    study.comparisons.update(is_paused=True)
    assert [texts_left(expert, most=99, with_paused=paused) for paused in (False, True)] == [0, 5]
    assert study.assigning == Assigning.OPEN_POOL


def test_the_pool_is_counted_only_so_far_and_then_the_promise_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_open_study(dataset=make_dataset(instances=9, systems=1), experts=1, instances_per_system=9)
    (expert,) = fresh(study)
    assigning.next_assignment(user=expert.user, slug=study.slug)
    study.assignments.free().filter(comparison__position__gte=6).delete()  # eight are left of nine, then five
    (expert,) = fresh(study)
    assert ExpertWorkload(expert).progress().total == 6
    monkeypatch.setattr(progress, "LOOKS_AHEAD", 4)
    assert ExpertWorkload(expert).progress().total == expert.promised == 9
