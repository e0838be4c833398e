"""A closed study with any number of answers, put into the tables in bulk: the same rows on every database."""

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Case, F, Value, When

from annotations.importing.writing.datasets import insert_rows
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

LABELS, SYSTEMS, PLACES = 20, 26, 4
EXPERTS = SYSTEMS * PLACES  # each sees every text once
REVISED = 20  # every so many answers were corrected once, both steps
BEGAN = datetime(2026, 1, 5, 8, 0, 0, 123_457, tzinfo=UTC)


def make_bulk_study(answers: int, *, slug: str = "bulk") -> Study:
    """At least so many answers, `SYSTEMS` x `PLACES` for each text."""
    instances = -(-answers // EXPERTS)
    dataset = make_dataset(instances=instances, labels=LABELS, systems=SYSTEMS, slug=f"{slug}-data")
    study = make_study(dataset=dataset, slug=slug, experts_per_comparison=PLACES, instances_per_system=instances)
    people = User.objects.bulk_create(User(email=f"{slug}{number}@example.org") for number in range(EXPERTS))
    members = Membership.objects.bulk_create(
        Membership(study=study, user=user, role=Role.EXPERT, number=number) for number, user in enumerate(people, 1)
    )
    systems = list(dataset.systems.order_by("pk").values_list("pk", flat=True))
    texts = list(dataset.instances.order_by("position").values_list("pk", flat=True))
    insert_rows(
        Comparison,
        ["study", "instance", "second_system", "position", "identical", "is_paused"],
        (
            (study.pk, text, system, i * SYSTEMS + s, False, False)
            for i, text in enumerate(texts)
            for s, system in enumerate(systems)
        ),
    )
    comparisons = list(study.comparisons.order_by("position").values_list("pk", flat=True))
    insert_rows(Assignment, PLACE, _places(study.pk, comparisons, texts, [member.pk for member in members]))
    places = list(study.assignments.order_by("pk").values_list("pk", flat=True))
    insert_rows(LabelResponse, [*SAID, "labels"], _labels(places))
    shown = F("claimed_at") + timedelta(seconds=20)
    study.assignments.order_by().update(
        comparison_shown_at=shown,
        completed_at=shown,
        side_order=Case(When(place=1, then=Value(SideOrder.FIRST_IS_A)), default=Value(SideOrder.SECOND_IS_A)),
        turn=F("position"),
        phase=Phase.MAIN,
        side_rule=SideRule.EARLIER,
    )
    insert_rows(PreferenceResponse, [*SAID, "a_chosen", "b_chosen", "certainty"], _preferences(places))
    Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED, opened_at=BEGAN)
    study.refresh_from_db()
    with connection.cursor() as cursor:
        # As the database does by itself in time.
        cursor.execute("ANALYZE")
    return study


PLACE = (
    *("token", "study", "comparison", "instance", "place", "places", "expert", "position", "side_order", "phase"),
    *("seen_before", "is_pilot", "claimed_at"),
)
SAID = ("assignment", "revision", "key", "active_ms", "page_language", "created_at")


def _places(study: int, comparisons: list[int], texts: list[int], members: list[int]) -> Iterator[tuple[Any, ...]]:
    for number in range(len(comparisons) * PLACES):
        text, within = divmod(number, EXPERTS)
        yield (
            uuid.UUID(int=(study << 64) + number).hex,
            study,
            comparisons[number // PLACES],
            texts[text],
            number % PLACES,
            PLACES,
            members[within],
            text,
            "",
            "",
            False,
            False,
            _moment(number, 0),
        )


def _moment(number: int, seconds: int) -> str:
    return (BEGAN + timedelta(seconds=3.000_019 * number + seconds)).replace(tzinfo=None).isoformat(sep=" ")


def _said(places: list[int], kind: int) -> Iterator[tuple[int, tuple[Any, ...]]]:
    for revision, every in ((0, 1), (1, REVISED)):
        for number in range(0, len(places), every):
            key = uuid.UUID(int=(kind << 100) + (revision << 90) + (places[0] << 40) + number).hex
            active = None if number % 50 == 7 else 4_000 + number * 37 % 9_000
            moment = _moment(number, 19 + kind * 21 + revision)
            yield number, (places[number], revision, key, active, ("en", "de", "")[number % 3], moment)


def _labels(places: list[int]) -> Iterator[tuple[Any, ...]]:
    for number, said in _said(places, 0):
        yield *said, json.dumps(sorted({number % LABELS, number * 3 % LABELS}))


def _preferences(places: list[int]) -> Iterator[tuple[Any, ...]]:
    for number, said in _said(places, 1):
        yield *said, number % 2 == 0, number % 5 < 2, None if number % 11 == 3 else number * 13 % 101 / 100
