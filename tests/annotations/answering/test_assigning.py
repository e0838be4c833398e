"""Who gets what next, one after the other and all at once."""

import re
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations import designing
from annotations.answering.assigning import Handed, next_assignment
from annotations.designing.lifecycle import change_state
from annotations.ground.errors import NotFound
from annotations.models import Assignment, Membership, Role, Study, StudyState, User
from tests.locks.noting import locks_noted
from tests.worlds.answering import answer, complete, complete_all, in_hand, past_of
from tests.worlds.datasets import make_dataset
from tests.worlds.history import minutes_left
from tests.worlds.studies import make_expert, make_member, make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db


def user_of(study: Study, number: int = 0) -> User:
    return study.memberships.experts().select_related("user").get(number=number).user


def ask(study: Study, number: int = 0) -> Handed:
    return next_assignment(user=user_of(study, number), slug=study.slug)


def drain(study: Study, number: int = 0) -> list[Assignment]:
    """Answer until nothing more is given."""
    return complete_all(user_of(study, number), study.slug)


def test_asking_again_resumes_the_same_assignment():
    study = make_open_study(experts=1)
    first = ask(study).assignment
    assert first is not None
    assert ask(study).assignment == first
    answer(first)  # step 1
    assert ask(study).assignment == first


def test_looking_at_what_is_in_hand_hands_out_offers_and_locks_nothing():
    study = make_open_study(experts=1)
    first = ask(study).assignment
    assert first is not None
    with locks_noted() as locked:
        looked = in_hand(user=user_of(study), token=first.token)
    assert (looked.assignment, looked.labels, looked.finished, looked.more) == (first, None, "", 0)
    assert looked.progress == ask(study).progress
    assert study.assignments.taken().count() == 1
    assert locked == []


def test_an_expert_never_gets_the_same_instance_twice_until_the_pool_is_empty():
    study = make_open_study(
        dataset=make_dataset(instances=5, systems=4), experts=1, instances_per_system=5, experts_per_comparison=1
    )
    got = drain(study)
    assert sorted(one.instance_id for one in got) == sorted(study.dataset.instances.values_list("pk", flat=True))
    assert ask(study).finished == "all_done"


def test_the_least_covered_comparison_comes_first_then_the_studys_order():
    study = make_open_study(dataset=make_dataset(instances=8), experts=2, instances_per_system=4)
    positions = [one.comparison.position for one in drain(study, 0)]
    assert positions == sorted(positions)
    places = [one.place for one in drain(study, 1)]
    assert set(places) == {1}  # the other expert took every place 0


def test_enough_experts_one_after_the_other_fill_every_place():
    study = make_study(dataset=make_dataset(instances=7, systems=3), instances_per_system=5, experts_per_comparison=3)
    for number in range(designing.propose(study=study).experts_needed):
        make_expert(study, f"expert{number}@example.org")
    plan_and_open(study)
    for expert in study.memberships.experts():
        drain(study, expert.number)
    assert not study.assignments.free().exists()
    assert study.assignments.completed().count() == 3 * 5 * 3


def test_an_experts_positions_have_no_gaps():
    study = make_open_study(dataset=make_dataset(instances=12), experts=1, instances_per_system=12)
    got = drain(study)
    assert [one.position for one in got] == list(range(12))


def test_named_assignments_come_in_their_order_and_nothing_else_comes():
    study = make_study(experts=4, assigning="named")
    plan_and_open(study)
    expert = study.memberships.experts()[0]
    mine = list(expert.assignments.order_by("position").values_list("pk", flat=True))
    assert [one.pk for one in drain(study)] == mine
    handed = ask(study)
    assert (handed.assignment, handed.finished, handed.progress.total) == (None, "all_done", len(mine))
    assert not Assignment.objects.filter(expert=expert, claimed_at=None).exists()


def test_in_a_pool_the_reserved_ones_come_first():
    study = make_study(dataset=make_dataset(instances=8), experts=1)
    designing.apply_plan(study=study)
    expert = study.memberships.experts().get()
    last = list(study.comparisons.order_by("-position")[:1])
    designing.assign_named(study=study, expert=expert, comparisons=last)
    change_state(study=study, to=StudyState.OPEN)
    handed = ask(study)
    assert handed.assignment is not None
    assert handed.assignment.comparison_id == last[0].pk


@pytest.mark.parametrize(
    ("state", "finished"),
    [("draft", "not_open_yet"), ("paused", "paused"), ("closed", "closed"), ("pilot", ""), ("open", "")],
)
def test_only_an_open_or_pilot_study_gives_assignments(state, finished):
    study = make_study(experts=1)
    designing.apply_plan(study=study)
    Study.objects.filter(pk=study.pk).update(state=state)
    handed = ask(study)
    assert handed.finished == finished
    assert (handed.assignment is None) == bool(finished)


def test_a_paused_study_gives_back_nothing_that_was_begun_until_it_opens_again():
    study = make_open_study(experts=1)
    begun = ask(study).assignment
    change_state(study=study, to=StudyState.PAUSED)
    assert ask(study).assignment is None
    change_state(study=study, to=StudyState.OPEN)
    assert ask(study).assignment == begun


def test_what_is_claimed_in_the_pilot_is_marked():
    study = make_study(experts=1)
    designing.apply_plan(study=study)
    change_state(study=study, to=StudyState.PILOT)
    pilot = ask(study).assignment
    assert pilot is not None
    assert pilot.is_pilot
    complete(pilot)
    change_state(study=study, to=StudyState.OPEN)
    after = ask(study).assignment
    assert after is not None
    assert not after.is_pilot


def test_a_stranger_a_researcher_and_a_former_expert_get_nothing(make_user):
    study = make_open_study(experts=1)
    researcher = make_member(study, Role.RESEARCHER, "researcher@example.org").user
    former = make_expert(study, "former@example.org")
    Membership.objects.filter(pk=former.pk).update(is_active=False)
    for user in (make_user("stranger@example.org"), researcher, former.user):
        with pytest.raises(NotFound):
            next_assignment(user=user, slug=study.slug)
    assert not study.assignments.taken().exists()


def test_progress_counts_the_experts_equal_part_of_the_pool():
    study = make_open_study(
        dataset=make_dataset(instances=12), experts=3, instances_per_system=12, experts_per_comparison=1
    )
    assert ask(study).progress.total == 24 // 3  # of 12 different instances that the pool could give
    got = drain(study, 0)
    assert len(got) == 12
    progress = ask(study, 0).progress
    assert (progress.done, progress.total) == (12, 12)
    assert ask(study, 1).progress.total == 8


def test_minutes_left_come_from_the_experts_own_pace_once_three_are_done():
    study = make_open_study(dataset=make_dataset(instances=6), experts=1, instances_per_system=6)
    for labels_ms, preference_ms in [(50_000, 10_000), (3_600_000, 30_000), (80_000, 10_000)]:
        handed = ask(study)
        assert handed.progress.minutes_left is None
        assert handed.assignment is not None
        complete(handed.assignment, labels_ms=labels_ms, preference_ms=preference_ms)
    # The median of 1, 60.5 and 1.5 minutes, three left: 4.5, and nobody should have to stay longer than was said.
    assert ask(study).progress.minutes_left == 5


@pytest.mark.parametrize(
    ("minutes", "left", "said"),
    [
        ([1.0] * 3, 4, 4),
        ([1.0] * 3, 6, 10),
        ([1.0] * 3, 20, 20),
        ([0.01] * 3, 1, 1),
        ([1.0] * 3, 0, 0),
        ([10.0] * 20 + [1.0] * 10, 3, 3),  # the newest ten: people become faster
        ([9.0] * 3 + [2.0] * 5 + [1.0] * 5, 2, 3),  # neither nine nor eleven: 1.5 minutes each
        ([1.0, 1.0], 4, None),
    ],
)
def test_minutes_left_are_rounded_up_and_follow_the_newest_answers(minutes, left, said):
    past = [past_of(number, labels_ms=int(each * 60_000)) for number, each in enumerate(minutes)]
    assert minutes_left(past, left=left) == said


# -- all at once, with real threads


def run_at_once(jobs: list[Callable[[], object]]) -> list[object]:
    """Run every job in a thread of its own, started together; raise the first error."""
    barrier = threading.Barrier(len(jobs))
    results: list[object] = [None] * len(jobs)

    def work(index: int) -> None:
        try:
            barrier.wait()
            results[index] = jobs[index]()
        except Exception as error:
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


@pytest.mark.django_db(transaction=True)
def test_forty_parallel_claims_on_a_comparison_with_four_places_leave_exactly_four():
    study = make_open_study(
        dataset=make_dataset(instances=1, systems=1), experts=40, instances_per_system=1, experts_per_comparison=4
    )
    users = [expert.user for expert in study.memberships.experts().select_related("user")]
    handed = run_at_once([partial(next_assignment, user=user, slug=study.slug) for user in users])
    got = [one.assignment for one in handed if isinstance(one, Handed) and one.assignment]
    assert len(got) == 4
    assert len({one.expert_id for one in got}) == 4
    assert sorted(study.assignments.taken().values_list("place", flat=True)) == [0, 1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_one_expert_claiming_in_many_tabs_gets_one_assignment():
    study = make_open_study(dataset=make_dataset(instances=8), experts=1, instances_per_system=8)
    user = user_of(study)
    handed = run_at_once([lambda: next_assignment(user=user, slug=study.slug)] * 12)
    assert len({one.assignment.pk for one in handed if isinstance(one, Handed) and one.assignment}) == 1
    assert study.assignments.taken().count() == 1


@pytest.mark.django_db(transaction=True)
def test_whatever_runs_in_parallel_nobody_gets_an_instance_twice_and_no_place_two_experts():
    study = make_open_study(
        dataset=make_dataset(instances=6, systems=4), experts=8, instances_per_system=3, experts_per_comparison=4
    )  # every instance in two comparisons: exactly the eight experts that are needed

    def work(user: User) -> Callable[[], object]:
        def claim_and_complete() -> None:
            complete_all(user, study.slug)

        return claim_and_complete

    run_at_once([work(expert.user) for expert in study.memberships.experts().select_related("user")])
    taken = study.assignments.taken()
    assert max(Counter(taken.values_list("expert", "instance")).values()) == 1
    assert max(Counter(taken.values_list("comparison", "place")).values()) == 1
    assert study.assignments.completed().count() == 4 * 3 * 4


def test_claiming_walks_the_index_of_free_places_and_sorts_nothing():
    study = make_open_study(dataset=make_dataset(instances=30, systems=6), experts=1, instances_per_system=20)
    with CaptureQueriesContext(connection) as context:
        ask(study)
    claim = next(query["sql"] for query in context if "ORDER BY" in query["sql"] and '"place" ASC' in query["sql"])
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")  # a table this small would be read whole
            cursor.execute("ANALYZE annotations_assignment, annotations_instance")  # not what was there before
        cursor.execute(("EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN ") + claim)
        plan = str(cursor.fetchall())
    assert "assignment_free_places" in plan
    # In a table this small every index that begins with the expert costs the same.
    assert re.search(r"Index Cond: \(+expert_id = |USING (COVERING )?INDEX \w+ \(expert_id=\?", plan)
    assert "Sort" not in plan
    assert "TEMP B-TREE" not in plan


def test_a_release_long_ago_still_counts_as_seen():
    study = make_open_study(
        dataset=make_dataset(instances=2, systems=2), experts=1, instances_per_system=2, experts_per_comparison=1
    )
    first = ask(study).assignment
    assert first is not None
    Assignment.objects.filter(pk=first.pk).update(released_at=timezone.now())
    second = ask(study).assignment
    assert second is not None
    assert second.instance_id != first.instance_id
    assert second.position == 1
