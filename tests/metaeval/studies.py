"""A small study whose experts' answers follow from its data, for the tests of analyses, runs and their API."""

from dataclasses import dataclass, field

import numpy as np
from django.utils import timezone

from annotations.importing.memory.tables import SystemTable
from annotations.models import Assignment, Comparison, Membership, Role, SideOrder, Study, StudyState, System, User
from tests.worlds.answering import store_completed
from tests.worlds.datasets import store_dataset

LABELS = ("Consumer law", "Family law", "Health", "Tax")


@dataclass
class Answered:
    """A study with its answers, and the truth from which they were made."""

    study: Study
    systems: list[System]
    P: np.ndarray
    Q: list[np.ndarray]
    assignments: list[Assignment] = field(default_factory=list)
    experts: list[Membership] = field(default_factory=list)


def answered_study(
    slug="demo",
    *,
    systems=9,
    instances=24,
    experts=4,
    seed=1,
    is_simulated=False,
    state=StudyState.OPEN,
    constant=None,
    identical=(),
):
    """`systems` of growing noise; an expert prefers a system on an instance the more the closer it is to people.

    `constant` names the position of a system whose every value is one half (its entropies do not vary), `identical` the
    positions of comparisons whose sides look the same: everyone answers "both".
    """
    rng = np.random.default_rng(seed)
    P = rng.integers(0, 6, (instances, len(LABELS))) / 5
    noise = np.linspace(0.1, 0.9, systems)
    Q = [np.clip(P + rng.normal(0, 0.5, P.shape) * amount, 0, 1) for amount in noise]
    if constant is not None:
        Q[constant] = np.full(P.shape, 0.5)
    dataset = store_dataset(
        slug=f"{slug}-data",
        title="Data",
        task="multilabel",
        gold=P,
        labels=LABELS,
        systems=[SystemTable(("Alpha", "Beta")[i % 2], q, f"M{i}") for i, q in enumerate(Q)],
        is_simulated=is_simulated,
    )
    study = Study.objects.create(
        dataset=dataset,
        slug=slug,
        title="Demo study",
        state=state,
        seed=42,
        is_simulated=is_simulated,
        experts_per_comparison=experts,
    )
    answered = Answered(study, list(dataset.systems.order_by("pk")), P, Q)
    for number in range(experts):
        user = User.objects.create_user(f"{slug}-expert{number}@example.org")
        answered.experts.append(Membership.objects.create(study=study, user=user, role=Role.EXPERT, number=number))
    _answer_everything(answered, noise, rng, identical)
    return answered


def _answer_everything(answered, noise, rng, identical):
    """Every system on its own share of the instances, so that nobody sees an instance twice."""
    study, now = answered.study, timezone.now()
    rows = study.dataset.instances.order_by("position")
    shown = [(row, i % len(answered.systems)) for i, row in enumerate(rows)]
    comparisons = Comparison.objects.bulk_create(
        Comparison(
            study=study, instance=row, second_system=answered.systems[place], position=i, identical=i in identical
        )
        for i, (row, place) in enumerate(shown)
    )
    assignments, answers = [], []
    for comparison, (row, place) in zip(comparisons, shown, strict=True):
        for expert in answered.experts:
            system_is_a = bool(rng.random() < 0.5)
            assignments.append(
                Assignment(
                    study=study,
                    comparison=comparison,
                    instance=row,
                    place=expert.number,
                    places=len(answered.experts),
                    expert=expert,
                    position=comparison.position,
                    claimed_at=now,
                    side_order=SideOrder.SECOND_IS_A if system_is_a else SideOrder.FIRST_IS_A,
                )
            )
            chosen = bool(rng.random() < 0.85 - 0.7 * noise[place])
            other = bool(not chosen or rng.random() < 0.2)
            if comparison.position in identical:
                chosen = other = True
            answers.append((chosen, other) if system_is_a else (other, chosen))
    answered.assignments = store_completed(
        study, assignments, answers, certainties=[round(float(rng.random()), 2) for _ in answers]
    )
