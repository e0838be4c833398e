"""A study as large as any that the pages promise to bear, under way: written in bulk, as no use case could in time."""

import uuid
from collections import Counter
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from annotations.models import (
    Assignment,
    Comparison,
    LabelResponse,
    Membership,
    Phase,
    PreferenceResponse,
    Role,
    SideOrder,
    SideRule,
    Study,
    StudyState,
    User,
)
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

BATCH = 5_000
DAYS = 40


def make_large_study(
    *, comparisons: int = 2_000, experts: int = 60, answered: int = 25, waiting: int = 1, systems: int = 26
) -> Study:
    """An open study; of each comparison so many places are answered, and so many given, or free in every second."""
    dataset = make_dataset(instances=comparisons, labels=20, systems=systems, slug="large-data")
    places = answered + waiting
    study = make_study(dataset=dataset, slug="large", experts_per_comparison=places, instances_per_system=80)
    members = _members(study, experts)
    made = Comparison.objects.bulk_create(
        (
            Comparison(study=study, instance=instance, second_system=system, position=position, identical=False)
            for position, (instance, system) in enumerate(
                (instance, list_of[position % systems])
                for list_of in [list(dataset.systems.order_by("pk"))]
                for position, instance in enumerate(dataset.instances.order_by("position"))
            )
        ),
        batch_size=500,
    )
    _places(study, made, members, places, answered=answered)
    _answer(study, answered)
    Study.objects.filter(pk=study.pk).update(
        state=StudyState.OPEN, opened_at=timezone.now() - timedelta(days=DAYS), created_at=timezone.now()
    )
    study.refresh_from_db()
    return study


def _members(study: Study, experts: int) -> list[Membership]:
    users = User.objects.bulk_create(User(email=f"large{number}@example.org") for number in range(experts))
    return Membership.objects.bulk_create(
        Membership(study=study, user=user, role=Role.EXPERT, number=number) for number, user in enumerate(users, 1)
    )


def _places(study: Study, made: list[Comparison], members: list[Membership], places: int, *, answered: int) -> None:
    began = timezone.now() - timedelta(days=DAYS)
    turns = Counter[int]()
    rows = []
    for comparison in made:
        for place in range(places):
            row = Assignment(
                study=study, comparison=comparison, instance_id=comparison.instance_id, place=place, places=places
            )
            if place < answered or comparison.position % 2:
                member = members[(comparison.position * 7 + place) % len(members)]
                row.expert, row.position = member, turns[member.pk]
                turns[member.pk] += 1
                row.claimed_at = began + timedelta(days=DAYS * (comparison.position + 1) / (len(made) + 1))
            rows.append(row)
    Assignment.objects.bulk_create(rows, batch_size=BATCH)


def _answer(study: Study, answered: int) -> None:
    """Both steps of the first places of each comparison, in the order in which collecting stores them."""
    chosen = study.assignments.filter(place__lt=answered).order_by("pk")
    at = timezone.now()
    keys = list(chosen.values_list("pk", flat=True))
    LabelResponse.objects.bulk_create(
        (
            LabelResponse(
                assignment_id=pk, labels=[pk % 7], key=uuid.uuid4(), created_at=at, active_ms=9_000 + pk % 5_000
            )
            for pk in keys
        ),
        batch_size=BATCH,
    )
    chosen.order_by().update(
        comparison_shown_at=F("claimed_at"),
        completed_at=F("claimed_at"),
        side_order=SideOrder.FIRST_IS_A,
        turn=F("position"),
        phase=Phase.MAIN,
        side_rule=SideRule.EARLIER,
    )
    PreferenceResponse.objects.bulk_create(
        (
            PreferenceResponse(
                assignment_id=pk,
                a_chosen=bool(pk % 2),
                b_chosen=pk % 5 == 0,
                key=uuid.uuid4(),
                created_at=at,
                active_ms=5_000 + pk % 3_000,
            )
            for pk in keys
        ),
        batch_size=BATCH,
    )
