"""Whose distribution stands on which side, all the way to what the expert's page gets."""

import uuid
from typing import Any

import numpy as np
import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotations import designing
from annotations.designing.lifecycle import change_state
from annotations.ground.sides import LIMIT, coin
from annotations.models import (
    Assignment,
    Dataset,
    Instance,
    LabelResponse,
    Phase,
    ReportReason,
    SideOrder,
    SideRule,
    Study,
    StudyState,
    System,
)
from tests.worlds import storing
from tests.worlds.answering import Page, ahead_of, answer, complete, complete_all, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import known_key, make_study, plan_and_open

pytestmark = pytest.mark.django_db


def told_apart(**settings: Any) -> Study:
    """An open study in which every human row shows its first label alone, and every system the second."""
    dataset = make_dataset(instances=16, labels=3, systems=1)
    human = np.zeros((16, 3))
    human[:, 0] = 1.0
    Dataset.objects.filter(pk=dataset.pk).update(gold=human)
    System.objects.filter(dataset=dataset).update(predictions=np.roll(human, 1, axis=1))
    Instance.objects.filter(dataset=dataset).update(parts=5)
    study = make_study(dataset=dataset, experts=1, instances_per_system=16, experts_per_comparison=1, **settings)
    return plan_and_open(study)


def expert_of(study: Study) -> Any:
    return study.memberships.experts().select_related("user", "study").get()


def people_are_a(task: dict[str, Any]) -> bool:
    """As an expert's page gets it."""
    a, b = (task["assignment"]["comparison"][side] for side in "ab")
    names = [bar["label"] for bar in a + b]
    assert sorted(names) == ["Label y", "Label z"]
    return bool(names[0] == "Label z")


@pytest.mark.parametrize("assigning", ["open_pool", "named"])
def test_first_is_a_means_people_are_a_also_after_skips_and_when_fetched_ahead(assigning):
    study = told_apart(assigning=assigning)
    page = Page(expert_of(study).user, study.slug)
    seen: list[bool] = []
    for turn in range(10):
        task = page.next().json()
        token = task["assignment"]["token"]
        step_2 = page.labels(token).json()
        stored = Assignment.objects.get(token=token)
        assert people_are_a(step_2) == (stored.side_order == SideOrder.FIRST_IS_A)
        assert (stored.turn, stored.phase, stored.side_rule) == (turn, Phase.MAIN, SideRule.KEYED)
        again = page.next().json()
        assert again["assignment"]["comparison"] == step_2["assignment"]["comparison"]
        if turn in {1, 2, 6}:
            page.report(token, skip=True)
        else:
            page.preference(token)
        seen.append(people_are_a(step_2))
        assert abs(2 * sum(seen) - len(seen)) <= LIMIT


def test_every_side_is_the_coin_of_its_turn_unless_one_order_leads_by_three():
    study = told_apart()
    complete_all(expert_of(study).user, study.slug)
    key = known_key(study.slug, Phase.MAIN)
    lead, forced = 0, 0
    for one in study.assignments.order_by("turn"):
        drawn = coin(key, study=study.slug, expert=0, turn=one.turn)
        expected = drawn if abs(lead) < LIMIT else lead < 0
        forced += abs(lead) == LIMIT
        assert (one.side_order == SideOrder.FIRST_IS_A) == expected
        lead += 1 if expected else -1
    assert forced


@pytest.mark.parametrize("assigning", ["open_pool", "named"])
def test_nothing_has_a_side_before_its_step_2_is_shown_also_when_it_is_fetched_ahead(assigning):
    study = told_apart(assigning=assigning)
    page = Page(expert_of(study).user, study.slug)
    token = page.next().json()["assignment"]["token"]
    ahead = ahead_of(expert_of(study).user, uuid.UUID(token)).assignment
    assert ahead is not None
    assert str(ahead.token) != token
    assert not study.assignments.exclude(side_order="", turn=None, phase="", side_rule=None).exists()
    page.labels(str(ahead.token))  # answered first, it gets the first turn
    assert list(study.assignments.exclude(turn=None).values_list("token", "turn")) == [(ahead.token, 0)]


def skip(user: Any, assignment: Assignment) -> None:
    storing.store_report(
        user=user, token=assignment.token, key=uuid.uuid4(), reason=ReportReason.OTHER, text="", skip=True
    )


def test_a_text_that_is_skipped_before_step_2_uses_no_turn_and_one_that_is_skipped_after_it_does():
    study = told_apart()
    user = expert_of(study).user
    skip(user, taken(user))
    shown = taken(user)
    answer(shown)
    skip(user, shown)
    complete(taken(user))
    given = study.assignments.exclude(turn=None).order_by("turn")
    assert [(one.turn, one.released_at is not None) for one in given] == [(0, True), (1, False)]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    skips=st.sets(st.integers(0, 15), max_size=10),
    seed=st.integers(0, 99),
    assigning=st.sampled_from(["named", "open_pool"]),
)
def test_what_was_shown_stays_balanced_within_the_limit_whatever_is_skipped(db, skips, seed, assigning):
    with transaction.atomic():
        study = told_apart(assigning=assigning, seed=seed)
        user = expert_of(study).user
        shown: list[bool] = []
        for turn in range(16):
            assignment = taken(user, study.slug)
            answer(assignment)
            assignment.refresh_from_db()
            shown.append(assignment.side_order == SideOrder.FIRST_IS_A)
            assert abs(2 * sum(shown) - len(shown)) <= LIMIT
            if turn in skips:
                skip(user, assignment)
            else:
                complete(assignment)
        transaction.set_rollback(True)


def test_pilot_and_main_study_have_turns_and_keys_of_their_own():
    dataset = make_dataset(instances=16, systems=1)
    study = make_study(dataset=dataset, experts=1, instances_per_system=16, experts_per_comparison=1)
    designing.apply_plan(study=study)
    change_state(study=study, to=StudyState.PILOT)
    user = expert_of(study).user
    for _ in range(3):
        complete(taken(user))
    begun = taken(user)
    answer(begun)  # shown in the pilot, answered after it: it stays one of the pilot's
    study = change_state(study=study, to=StudyState.OPEN)
    complete(Assignment.objects.select_related("expert__user").get(pk=begun.pk))
    complete(taken(user))
    given = study.assignments.exclude(turn=None).order_by("position").values_list("phase", "turn", "is_pilot")
    assert list(given) == [
        ("pilot", 0, True),
        ("pilot", 1, True),
        ("pilot", 2, True),
        ("pilot", 3, True),
        ("main", 0, False),
    ]
    assert known_key("study", "pilot") != known_key("study", "main")


def test_a_study_that_was_under_way_when_keys_came_goes_on_balanced():
    """What an earlier version showed counts as a lead of three at most, so that no later side is certain for long."""
    study = told_apart()
    user = expert_of(study).user
    for turn in range(9):
        assignment, now = taken(user), timezone.now()
        LabelResponse.objects.create(assignment=assignment, labels=[0], key=uuid.uuid4(), created_at=now)
        earlier = {"side_order": SideOrder.FIRST_IS_A, "turn": turn, "phase": "main", "side_rule": SideRule.EARLIER}
        Assignment.objects.filter(pk=assignment.pk).update(comparison_shown_at=now, completed_at=now, **earlier)
    complete_all(user)
    later = [one.side_order for one in study.assignments.filter(side_rule=SideRule.KEYED).order_by("turn")]
    assert len(later) == 7
    assert later[0] == SideOrder.SECOND_IS_A
    assert SideOrder.FIRST_IS_A in later


def test_two_sides_that_look_the_same_use_up_no_turn():
    dataset = make_dataset(instances=4, systems=1)
    gold = Dataset.objects.get(pk=dataset.pk).gold
    same = np.array(gold)
    same[2:] = 1 - same[2:]
    System.objects.filter(dataset=dataset).update(predictions=same)
    study = make_study(dataset=dataset, experts=1, instances_per_system=4, experts_per_comparison=1)
    study = plan_and_open(study)
    user = expert_of(study).user
    for _ in range(4):
        assignment = taken(user)
        answer(assignment)
        both = {"a_chosen": True, "b_chosen": True, "certainty": 0.5}
        storing.store_preference(user=user, token=assignment.token, key=uuid.uuid4(), **both)
    given = study.assignments.values_list("comparison__identical", "turn", "side_order")
    assert {turn for is_same, turn, _ in given if not is_same} == {0, 1}
    assert [(turn, order) for is_same, turn, order in given if is_same] == [(None, "first_is_a")] * 2
