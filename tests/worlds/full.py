"""A small study with every kind of answer in it, made row by row as collecting makes it."""

import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np

from annotations.answering.turns import Turns
from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    Segment,
    SystemTable,
)
from annotations.models import (
    Assignment,
    Comparison,
    Dataset,
    Guess,
    GuessedSide,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Report,
    Role,
    Study,
    StudyState,
    Task,
    User,
)
from tests.worlds.datasets import written_dataset
from tests.worlds.studies import give_known_keys

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
LABELS = ("Consumer law", "Health, and care", 'Trusts/"equity"', "=1+1", "Not a legal issue")
SYSTEMS = (("RoBERTa", "ReL", "0"), ("RoBERTa", "MV", "0"), ("Llama", "", ""), ("@model", "+method", "-1"))


def make_full_dataset(slug: str = "small", *, instances: int = 12, reverse_systems: bool = False) -> Dataset:
    """Twelve texts, five labels, four systems. The order in which systems are stored is an accident."""
    rng = np.random.default_rng(7)
    votes = [
        AnnotationRow(i, tuple(sorted({int(rng.integers(4)), int(rng.integers(4))})), f"L{j}")
        for i in range(instances)
        for j in range(5)
    ]
    table = DatasetTable(
        labels=LabelSet(LABELS, Task.MULTILABEL, exclusive=LABELS[-1]),
        instances=[InstanceRow(f"text-{i}", (Segment("", f"A text of law, number {i}."),)) for i in range(instances)],
        annotations=AnnotationTable.from_rows(votes),
    )
    systems = [
        SystemTable(model, rng.random((instances, len(LABELS))).round(3), method, run) for model, method, run in SYSTEMS
    ]
    if reverse_systems:
        systems.reverse()
    return written_dataset(table, systems, slug=slug, title="A small dataset")


def make_full_study(
    dataset: Dataset | None = None,
    *,
    slug: str = "small-study",
    compares: str = "human_vs_system",
    seed: int = 1,
    experts: int = 5,
    places: int = 3,
    **fields: object,
) -> Study:
    """A study in which answers of every kind were given: revised, piloted, unfinished, reported, skipped."""
    dataset = dataset or make_full_dataset()
    rng = np.random.default_rng(seed)
    study = Study.objects.create(
        dataset=dataset,
        slug=slug,
        title="Une étude, “small”",
        compares=compares,
        state=StudyState.OPEN,
        seed=seed,
        experts_per_comparison=places,
        instances_per_system=3,
        opened_at=NOON,
        **{"asks_guess": compares == "human_vs_system"} | fields,
    )
    give_known_keys(study, "full")
    members = [
        Membership.objects.create(
            study=study,
            user=User.objects.create_user(f"expert-{number}@{slug}.example.org"),
            role=Role.EXPERT,
            number=number,
            is_simulated=bool(number % 2),
        )
        for number in range(1, experts + 1)
    ]
    comparisons = _compare(study, rng)
    free = _free_places(study, comparisons)
    for member in members:
        seen: set[int] = set()
        position = 0
        for assignment in rng.permutation(np.array(free, dtype=object)):
            if assignment.expert is None and assignment.instance_id not in seen and rng.random() < 0.7:
                seen.add(assignment.instance_id)
                _give(assignment, member, position, rng)
                _answer_as_may_be(assignment, rng)
                position += 1
    if study.asks_guess:
        _guess(study)
    return study


def _guess(study: Study) -> None:
    """Every second answered assignment was guessed about, in every way."""
    answered = study.assignments.completed().order_by("comparison__position", "expert__number")
    for turn, assignment in enumerate(answered[::2]):
        side = GuessedSide.values[turn % 3]
        Guess.objects.create(
            assignment=assignment, key=uuid.uuid4(), side=side, created_at=NOON + timedelta(days=30, minutes=turn)
        )


def _compare(study: Study, rng: np.random.Generator) -> list[Comparison]:
    systems = list(study.dataset.systems.order_by("pk"))
    names = sorted(systems, key=lambda system: (system.model, system.method, system.run))
    rows = []
    for number, instance in enumerate(study.dataset.instances.order_by("position")):
        second = names[number % len(names)]
        first = None
        if study.compares == "system_vs_system":
            other = names[(number + 1 + number // len(names)) % len(names)]
            first, second = sorted((second, other if other != second else names[number - 1]), key=lambda s: s.pk)
        rows.append(
            Comparison.objects.create(
                study=study, instance=instance, first_system=first, second_system=second, position=number
            )
        )
    return rows


def _free_places(study: Study, comparisons: list[Comparison]) -> list[Assignment]:
    places = study.experts_per_comparison
    return [
        Assignment.objects.create(study=study, comparison=c, instance=c.instance, place=place, places=places)
        for c in comparisons
        for place in range(places)
    ]


def _give(assignment: Assignment, member: Membership, position: int, rng: np.random.Generator) -> None:
    assignment.expert = member
    assignment.position = position
    rng.choice(2)  # all that follows stays as it was when sides were drawn here
    assignment.claimed_at = NOON + timedelta(hours=member.number, minutes=position, microseconds=123)
    assignment.is_pilot = rng.random() < 0.1
    assignment.save()


def _answer_as_may_be(assignment: Assignment, rng: np.random.Generator) -> None:
    at = assignment.claimed_at
    assert at is not None
    if rng.random() < 0.1:
        _report(assignment, at, skipped=True)
        assignment.released_at = at + timedelta(seconds=20)
        assignment.save()
        Assignment.objects.create(
            study=assignment.study,
            comparison=assignment.comparison,
            instance=assignment.instance,
            place=assignment.place,
            places=assignment.places,
        )
        return
    steps = rng.choice([0, 1, 2], p=[0.1, 0.1, 0.8])
    if steps == 0:
        return
    for revision in range(int(rng.integers(1, 3))):
        LabelResponse.objects.create(
            assignment=assignment,
            revision=revision,
            key=uuid.uuid4(),
            labels=sorted({int(k) for k in rng.integers(0, len(LABELS) - 1, 2)}),
            active_ms=int(rng.integers(0, 90_000)) if rng.random() < 0.9 else None,
            created_at=at + timedelta(seconds=30 + revision, microseconds=7),
        )
    if steps == 1:
        return
    assignment.comparison_shown_at = at + timedelta(seconds=40)
    assert assignment.expert is not None
    Turns.of(assignment.expert).next(assignment.comparison).give(assignment)
    assignment.save()
    for revision in range(int(rng.integers(1, 3))):
        PreferenceResponse.objects.create(
            assignment=assignment,
            revision=revision,
            key=uuid.uuid4(),
            a_chosen=bool(rng.random() < 0.5),
            b_chosen=bool(rng.random() < 0.5),
            certainty=round(float(rng.random()), 2) if rng.random() < 0.9 else None,
            active_ms=int(rng.integers(0, 90_000)),
            created_at=at + timedelta(seconds=60 + revision),
        )
    assignment.completed_at = at + timedelta(seconds=60)
    assignment.save()
    if rng.random() < 0.1:
        _report(assignment, at, skipped=False)


def _report(assignment: Assignment, at: datetime, *, skipped: bool) -> None:
    Report.objects.create(
        assignment=assignment,
        key=uuid.uuid4(),
        reason="other",
        text="=cmd|' /C calc'!A0",
        skipped=skipped,
        created_at=at + timedelta(seconds=15),
    )


def kinds_of_answers(study: Study) -> Counter[str]:
    """What there is in the study, so that a test can say that it met everything."""
    given = study.assignments.taken()
    return Counter(
        {
            "completed": given.completed().count(),
            "unfinished": given.filter(completed_at=None).count(),
            "skipped": study.assignments.filter(released_at__isnull=False).count(),
            "pilot": given.filter(is_pilot=True).count(),
            "revised": PreferenceResponse.objects.filter(assignment__study=study, revision=1).count(),
            "free": study.assignments.free().count(),
        }
    )
