"""Studies with a known truth: a metric drives preferences as strongly as the test says. As arrays, and stored."""

import numpy as np
from django.utils import timezone
from scipy.special import expit

from annotations.importing.memory.tables import SystemTable
from annotations.models import (
    Assignment,
    Comparison,
    Membership,
    Role,
    SideOrder,
    Study,
    StudyState,
    User,
)
from metaeval.analyses.inputs import Answers, DatasetInputs, Reports, StudyInputs
from tests.worlds.answering import store_completed
from tests.worlds.datasets import store_dataset

SYSTEMS, INSTANCES, EACH, EXPERTS = 25, 28, 4, 28
"""The size of the study of Kurniawan et al. (2026): 25 systems, 28 instances each, 4 experts per comparison."""

LABELS = ("a", "b", "c", "d")
BASE, SPREAD, INSTANCE_SPREAD, EXPERT_SPREAD = -0.4, 0.8, 0.5, 0.3
METRIC = "soft_accuracy"

_fixed = np.random.default_rng(20)
P = _fixed.dirichlet(np.ones(len(LABELS)), SYSTEMS * INSTANCES)
U = _fixed.dirichlet(np.ones(len(LABELS)), SYSTEMS * INSTANCES)


def planted_study(seed: int, latent: float) -> StudyInputs:
    """A study in which the metric has this correlation with the log-odds of being preferred, over systems.

    System s predicts (1 - a) P + a U. Its soft accuracy is 1 - a TVD(P, U), linear in a, so that a metric is normal
    over systems if a is. Every system has its own instances; experts differ in their inclination, instances in how
    readily anything is preferred on them.
    """
    rng = np.random.default_rng([seed, 77])
    z, other = rng.normal(size=(2, SYSTEMS))
    a = 0.5 - 0.1 * z
    names = tuple(f"Model / M{place:02}" for place in range(SYSTEMS))
    quality = latent * z + np.sqrt(1 - latent**2) * other
    comparisons = SYSTEMS * INSTANCES
    who = rng.random((comparisons, EXPERTS)).argsort(axis=1)[:, :EACH]
    instance = np.arange(comparisons)
    system = instance // INSTANCES
    logit = BASE + SPREAD * quality[system] + rng.normal(0, INSTANCE_SPREAD, comparisons)
    chance = expit(logit[:, None] + rng.normal(0, EXPERT_SPREAD, EXPERTS)[who])
    chosen = rng.random(chance.shape) < chance
    return StudyInputs(
        slug=f"planted-{seed}",
        title="Planted",
        compares="human_vs_system",
        state="closed",
        instances_per_system=INSTANCES,
        experts_per_comparison=EACH,
        display_threshold=0.1,
        data=DatasetInputs(
            slug=f"planted-{seed}-data",
            title="Planted data",
            task="multiclass",
            labels=LABELS,
            P=P,
            systems=names,
            origins=tuple({"model": "Model", "method": name.split(" / ")[1], "run": ""} for name in names),
            Q={name: (1 - share) * P + share * U for name, share in zip(names, a, strict=True)},
            is_simulated=True,
        ),
        answers=_answers(who, system, chosen, rng),
        reports=Reports(answer=np.zeros(0, dtype=np.int64), skipped=np.zeros(0, dtype=bool)),
        experts=tuple(range(EXPERTS)),
        is_simulated=True,
        fingerprint="0" * 64,
    )


def _answers(who, system, chosen, rng):
    """One entry per place, by expert; people's side is chosen if the system's is not."""
    places = np.repeat(np.arange(len(who)), EACH)
    order = np.lexsort((places, who.ravel()))
    expert, comparison = who.ravel()[order], places[order]
    count = len(order)
    first_is_a = rng.random(count) < 0.5
    of_system = chosen.ravel()[order]
    nobody, never = np.full(count, -1), np.zeros(count, dtype=bool)
    starts = np.concatenate([[0], np.cumsum(np.bincount(expert, minlength=EXPERTS))])
    return Answers(
        comparison=comparison,
        instance=comparison,
        first=nobody,
        second=system[comparison],
        expert=expert,
        position=np.arange(count) - starts[expert],
        first_is_a=first_is_a,
        is_pilot=never,
        is_skipped=never,
        is_withdrawn=never,
        repeat_of=nobody,
        is_labelled=~never,
        labels=np.eye(len(LABELS), dtype=bool)[np.zeros(count, dtype=np.int64)],
        labels_ms=np.full(count, np.nan),
        labels_revisions=np.ones(count, dtype=np.int64),
        was_shown=~never,
        is_answered=~never,
        a_chosen=np.where(first_is_a, ~of_system, of_system),
        b_chosen=np.where(first_is_a, of_system, ~of_system),
        certainty=np.full(count, np.nan),
        preference_ms=np.full(count, np.nan),
        preference_revisions=np.ones(count, dtype=np.int64),
        instrument=nobody,
        guess=nobody,
        identical=never,
    )


def stored_study(inputs: StudyInputs) -> Study:
    """The same study in the database, as if its experts had answered on the pages."""
    data, answers, now = inputs.data, inputs.answers, timezone.now()
    dataset = store_dataset(
        slug=data.slug,
        title=data.title,
        task=data.task,
        gold=data.P,
        labels=data.labels,
        systems=[
            SystemTable(Q=data.Q[name], **origin) for name, origin in zip(data.systems, data.origins, strict=True)
        ],
        is_simulated=True,
    )
    systems = list(dataset.systems.order_by("pk"))
    study = Study.objects.create(
        dataset=dataset,
        slug=inputs.slug,
        title=inputs.title,
        state=StudyState.OPEN,
        seed=1,
        is_simulated=True,
        instances_per_system=inputs.instances_per_system,
        experts_per_comparison=inputs.experts_per_comparison,
    )
    comparisons = Comparison.objects.bulk_create(
        Comparison(study=study, instance=row, second_system=systems[place // INSTANCES], position=place)
        for place, row in enumerate(dataset.instances.order_by("position"))
    )
    users = User.objects.bulk_create(User(email=f"{inputs.slug}-{number}@example.org") for number in inputs.experts)
    experts = Membership.objects.bulk_create(
        Membership(study=study, user=user, role=Role.EXPERT, number=number) for number, user in enumerate(users)
    )
    taken = np.zeros(len(comparisons), dtype=np.int64)
    assignments = []
    for at in range(len(answers)):
        comparison = comparisons[answers.comparison[at]]
        assignments.append(
            Assignment(
                study=study,
                comparison=comparison,
                instance=comparison.instance,
                place=int(taken[answers.comparison[at]]),
                places=EACH,
                expert=experts[answers.expert[at]],
                position=int(answers.position[at]),
                claimed_at=now,
                side_order=SideOrder.FIRST_IS_A if answers.first_is_a[at] else SideOrder.SECOND_IS_A,
            )
        )
        taken[answers.comparison[at]] += 1
    store_completed(study, assignments, list(zip(answers.a_chosen.tolist(), answers.b_chosen.tolist(), strict=True)))
    return study
