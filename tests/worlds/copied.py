# ruff: noqa: S608 - only names of this project's tables and columns, and numbers, are put into statements
"""Studies with any number of places, put into the tables by the database itself: a million in a minute.

One row of each kind is made through the models, and the database copies it, so a new field needs no change here.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from django.db import connection, models, transaction
from django.utils import timezone

from annotations.designing.instrument import keep_version
from annotations.importing.memory.tables import SystemTable
from annotations.models import (
    Assignment,
    Comparison,
    Dataset,
    LabelResponse,
    Membership,
    Phase,
    PreferenceResponse,
    SideOrder,
    SideRule,
    Study,
    StudyState,
)
from tests.worlds.datasets import store_dataset
from tests.worlds.sizes import CopiedWorld
from tests.worlds.studies import make_study

LABELS = 20
PEOPLE = 8
"""How many people judged each text, so human shares are eighths."""
TEXT = "The tenant gave notice in writing, and the landlord kept the deposit for repairs that nobody had seen. " * 6


def make_copied_study(sizes: CopiedWorld, *, slug: str = "copied") -> Study:
    """An open study of these sizes; statistics of the tables are new (ANALYZE)."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA cache_size = -400000")  # kB: an index of a million random keys fits
    dataset = _dataset(sizes.texts, sizes.systems, slug=f"{slug}-data")
    study = make_study(
        dataset=dataset,
        slug=slug,
        experts=sizes.experts,
        instances_per_system=sizes.texts,
        experts_per_comparison=sizes.experts_per_comparison,
    )
    text = dataset.instances.get()
    _copies(text, sizes.texts, position="n.i", external_id="'t' || n.i")
    system = dataset.systems.order_by("pk").first()
    assert system is not None
    rows = {"first_row": dataset.gold[0], "second_row": system.predictions[0]}  # those of the others are of its size
    first = Comparison(study=study, instance=text, second_system=system, position=0, identical=False, **rows)
    first.save()
    turned = f"n.i % {sizes.texts}"
    _copies(
        first,
        sizes.comparisons,
        position="n.i",
        instance_id=f"{text.pk} + {turned}",
        second_system_id=f"{system.pk} + n.i / {sizes.texts}",
    )
    place = Assignment(study=study, comparison=first, instance=text, place=0, places=sizes.experts_per_comparison)
    place.save()
    _copies(
        place,
        sizes.places,
        token=_random_uuid(),
        comparison_id=f"{first.pk} + n.i % {sizes.comparisons}",
        instance_id=f"{text.pk} + (n.i % {sizes.comparisons}) % {sizes.texts}",
        place=f"n.i / {sizes.comparisons}",
    )
    members = list(study.memberships.experts().order_by("number"))
    if sizes.answered:
        _answer(study, members[:1], first=0, count=sizes.answered)
    if sizes.covered:
        _answer(study, members[1:], first=sizes.answered, count=sizes.comparisons - sizes.answered)
    if sizes.foreign_texts:
        foreign = _dataset(sizes.foreign_texts, 1, slug=f"{slug}-foreign")
        _copies(foreign.instances.get(), sizes.foreign_texts, position="n.i", external_id="'f' || n.i")
    Study.objects.filter(pk=study.pk).update(
        state=StudyState.OPEN,
        opened_at=timezone.now(),
        planned=sizes.comparisons,  # triggers may have rested
    )
    study.refresh_from_db()
    keep_version(study)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA cache_size = -2000")  # what it is elsewhere
    return study


def _dataset(texts: int, systems: int, *, slug: str) -> Dataset:
    """A dataset with whole matrices, but with its first text only."""
    rng = np.random.default_rng(14)
    gold = rng.binomial(PEOPLE, rng.beta(0.3, 3, LABELS), (texts, LABELS)) / PEOPLE
    dataset = store_dataset(
        slug=slug,
        title=slug,
        task="multilabel",
        gold=gold[:1],
        labels=[f"Area of law number {k}" for k in range(LABELS - 1)] + ["Not a legal issue"],
        exclusive="Not a legal issue",
        systems=[SystemTable(f"Model {s}", rng.beta(0.4, 2, (texts, LABELS)), "", "") for s in range(systems)],
        external="t{}",
        text="Case {}. " + TEXT,
    )
    Dataset.objects.filter(pk=dataset.pk).update(gold=gold)
    return dataset


def _answer(study: Study, experts: list[Membership], *, first: int, count: int) -> None:
    """These experts have answered the first place of so many comparisons, in turns, from this one on."""
    comparison = study.comparisons.get(position=0).pk + first
    mine = study.assignments.filter(place=0, comparison__gte=comparison, comparison__lt=comparison + count)
    table, number, turn = Assignment._meta.db_table, len(experts), f"(comparison_id - {comparison})"
    keys = " ".join(f"WHEN {turn} %% {number} = {i} THEN {expert.pk}" for i, expert in enumerate(experts))
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} SET expert_id = CASE {keys} END, position = {turn} / {number}, claimed_at = %s "
            f"WHERE study_id = %s AND place = 0 AND {turn} BETWEEN 0 AND {count - 1}",
            [now, study.pk],
        )
    one = mine.order_by("comparison").first()
    assert one is not None
    labels = LabelResponse(assignment=one, labels=[0], key=uuid.uuid4(), created_at=now, active_ms=9_000)
    labels.save()
    chosen = f"FROM {table} AS a WHERE a.study_id = {study.pk} AND a.place = 0 AND a.comparison_id - {comparison} "
    chosen += f"BETWEEN 1 AND {count - 1}"
    _copies_of(labels, chosen, key=_random_uuid(), assignment_id="a.id")
    mine.order_by().update(
        comparison_shown_at=now,
        completed_at=now,
        side_order=SideOrder.FIRST_IS_A,
        turn=models.F("position"),
        phase=Phase.MAIN,
        side_rule=SideRule.EARLIER,
    )
    preference = PreferenceResponse(
        assignment=one, a_chosen=True, b_chosen=False, certainty=0.7, key=uuid.uuid4(), created_at=now, active_ms=5_000
    )
    preference.save()
    _copies_of(preference, chosen, key=_random_uuid(), assignment_id="a.id")
    for expert in experts:
        Membership.objects.filter(pk=expert.pk).update(
            promised=study.comparisons.count(), practised_at=now, created_at=now
        )


def _copies(row: models.Model, count: int, **changes: str) -> None:
    """Copies of a stored row, so that there are `count` of them; n.i in the changes (SQL) counts from 1."""
    if count < 2:
        return
    numbers = "(WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {most}) SELECT i FROM c) AS n"
    _copies_of(row, f"FROM {numbers.format(most=count - 1)}", order="ORDER BY n.i", **changes)


def _copies_of(row: models.Model, source: str, *, order: str = "", **changes: str) -> None:
    """Copies of a stored row, one for each row of a source (SQL)."""
    table, key = row._meta.db_table, row.pk
    columns: list[Any] = [field.column for field in row._meta.concrete_fields if not field.primary_key]
    values = ", ".join(
        changes.get(column, f"(SELECT t.{column} FROM {table} AS t WHERE t.id = {key})") for column in columns
    )
    with _resting_triggers() as cursor:
        cursor.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} {source} {order}")


@contextmanager
def _resting_triggers() -> Iterator[Any]:
    """Where PostgreSQL would look up every reference of every row, and the rows are right anyway."""
    with transaction.atomic(), connection.cursor() as cursor:
        rests = connection.vendor == "postgresql" and getattr(connection.ops, "may_rest_triggers", False)
        if rests:
            cursor.execute("SET LOCAL session_replication_role = replica")
        yield cursor
        if rests:
            cursor.execute("SET LOCAL session_replication_role = origin")


def _random_uuid() -> str:
    return "gen_random_uuid()" if connection.vendor == "postgresql" else "lower(hex(randomblob(16)))"
