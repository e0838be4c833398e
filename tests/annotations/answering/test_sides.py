"""Whose distribution stands on which side, all the way to what the expert's page gets."""

import uuid
from typing import Any

import numpy as np
import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotations.answering import recording
from annotations.answering.balancing import next_side
from annotations.models import Assignment, Dataset, Instance, Membership, ReportReason, SideOrder, Study, System
from annotations.seeding import side_order
from tests.worlds.answering import Page, complete, complete_all, past_of, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study, plan_and_open

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


def people_are_a(task: dict[str, Any]) -> bool:
    """As an expert's page gets it."""
    a, b = (task["assignment"]["comparison"][side] for side in "ab")
    names = [bar["label"] for bar in a + b]
    assert sorted(names) == ["Label y", "Label z"]
    return bool(names[0] == "Label z")


@pytest.mark.parametrize("assigning", ["open_pool", "named"])
def test_first_is_a_means_people_are_a_also_after_skips_and_when_fetched_ahead(assigning):
    study = told_apart(assigning=assigning)
    page = Page(study.memberships.experts().select_related("user").get().user, study.slug)
    seen = []
    for turn in range(10):
        task = page.next().json()
        token = task["assignment"]["token"]
        if turn % 3:
            page.post(f"assignments/{token}/following/")
        step_2 = page.labels(token).json()
        stored = Assignment.objects.get(token=token)
        assert people_are_a(step_2) == (stored.side_order == SideOrder.FIRST_IS_A)
        again = page.next().json()
        assert again["assignment"]["comparison"] == step_2["assignment"]["comparison"]
        if turn in {1, 2, 6}:
            page.report(token, skip=True)
        else:
            page.preference(token)
            seen.append(people_are_a(step_2))
            assert abs(sum(seen) - len(seen) / 2) <= 1
    assert len(seen) == 7


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(skips=st.sets(st.integers(0, 15), max_size=10), seed=st.integers(0, 99))
def test_named_assignments_stay_balanced_whatever_is_skipped(db, skips, seed):
    with transaction.atomic():
        study = told_apart(assigning="named", seed=seed)
        user = study.memberships.experts().select_related("user").get().user
        kept = []
        for turn in range(16):
            assignment = taken(user, study.slug)
            if turn in skips:
                report = {"key": uuid.uuid4(), "reason": ReportReason.OTHER, "skip": True}
                recording.store_report(user=user, token=assignment.token, **report)
            else:
                complete(assignment)
                kept.append(assignment.side_order == SideOrder.FIRST_IS_A)
                assert abs(sum(kept) - len(kept) / 2) <= 1
        transaction.set_rollback(True)


def test_where_nothing_was_skipped_every_turn_has_the_side_that_was_drawn_for_it():
    for seed, number in ((5, 0), (6, 3)):
        expert = Membership(number=number, study=Study(seed=seed))
        drawn = [side_order(seed=seed, expert=number, turn=turn) for turn in range(13)]
        kept = [past_of(turn, side_order=side) for turn, side in enumerate(drawn)]
        assert [next_side(expert, kept[:turn]) for turn in range(13)] == drawn
        assert len(set(drawn[:4])) == 2


def test_without_skips_a_named_assignment_keeps_the_side_that_was_drawn_for_it():
    study = told_apart(assigning="named")
    drawn = list(study.assignments.order_by("position").values_list("side_order", flat=True))
    user = study.memberships.experts().select_related("user").get().user
    complete_all(user, study.slug)
    assert list(study.assignments.order_by("position").values_list("side_order", flat=True)) == drawn
