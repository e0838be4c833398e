"""What comes before a job that waits is what workers then do before it; names and titles stay with their people."""

import random
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from annotations.background import jobs
from annotations.background.waiting import WaitingLines
from annotations.models import BackgroundJob, Erasure, ImportJob, JobState, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(make_user: Callable[..., User]) -> dict[str, User]:
    return {name: make_user(f"{name}@example.org", name=name) for name in ("ann", "ben", "cem")}


def imported(owner: User | None, **fields: Any) -> ImportJob:
    return ImportJob.objects.create(kind=ImportJob.Kind.DATASET, dataset_slug="d", owner=owner, **fields)


def erased(owner: User | None) -> Erasure:
    return Erasure.objects.create(what="text", target=0, owner=owner)


def taken() -> BackgroundJob:
    job = jobs.take("celery")
    assert job is not None
    return job


@pytest.mark.parametrize("seed", range(5))
def test_so_many_jobs_are_done_before_it_as_was_said(people: dict[str, User], seed: int) -> None:
    chance = random.Random(seed)
    made: list[BackgroundJob] = [
        chance.choice((imported, erased))(chance.choice([*people.values(), None])) for _ in range(25)
    ]
    before = [taken() for _ in range(chance.randrange(6))]
    lines = WaitingLines(people["ann"])
    promised = {
        job.pk: (wait.own, wait.others)
        for job in made
        if job.pk not in {one.pk for one in before} and (wait := lines.before(job)) is not None
    }
    order = [taken() for _ in range(len(made) - len(before))]
    assert jobs.take("celery") is None
    assert promised == {
        job.pk: (
            sum(one.owner_id == job.owner_id for one in order[:place]),
            sum(one.owner_id != job.owner_id for one in order[:place]),
        )
        for place, job in enumerate(order)
    }


def test_only_what_waits_waits_for_something(people: dict[str, User]) -> None:
    for state in JobState:
        wait = WaitingLines(people["ann"]).before(imported(people["ann"], state=state))
        assert (wait is not None) == (state == JobState.QUEUED)


def test_the_sentence_names_the_kinds_of_the_readers_own_jobs_only(people: dict[str, User]) -> None:
    for owner in ("ben", "ben", "ann", "ann", "ann"):
        imported(people[owner])
    mine = erased(people["ann"])
    told = {name: WaitingLines(people[name]).before(mine) for name in ("ann", "ben")}
    assert {name: asdict(wait)["own"] for name, wait in told.items() if wait} == {"ann": 3, "ben": 3}
    sentences = {name: wait.sentence for name, wait in told.items() if wait}
    assert "3 imports" in sentences["ann"]
    assert "2 jobs" in sentences["ann"]
    assert "import" not in sentences["ben"]
    assert not any(name in sentence for sentence in sentences.values() for name in ("ann@", "ben@", "ben", "cem"))
