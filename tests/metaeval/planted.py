"""Studies of whom the truth is known: a metric drives preferences as far as the test says. As arrays, and stored."""

import uuid

import numpy as np
from django.utils import timezone
from scipy.special import expit

from annotations.models import (
    Assignment,
    Comparison,
    Dataset,
    Instance,
    Label,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Role,
    SideOrder,
    Study,
    StudyState,
    System,
    User,
)
from metaeval.analyses.inputs import Answers, DatasetInputs, Reports, StudyInputs

SYSTEMS, INSTANCES, EACH, EXPERTS = 25, 28, 4, 28
"""The size of the study of Kurniawan et al. (2025): 25 systems, 28 instances each, 4 experts a comparison."""

LABELS = ("a", "b", "c", "d")
BASE, SPREAD, INSTANCE_SPREAD, EXPERT_SPREAD = -0.4, 0.8, 0.5, 0.3
METRIC = "soft_accuracy"

_fixed = np.random.default_rng(20)
P = _fixed.dirichlet(np.ones(len(LABELS)), SYSTEMS * INSTANCES)
U = _fixed.dirichlet(np.ones(len(LABELS)), SYSTEMS * INSTANCES)


def planted_study(seed: int, latent: float) -> StudyInputs:
    """A study in which the metric's value correlates so far with the log-odds of being preferred, over systems.

    System s predicts (1 - a) P + a U. Its soft accuracy is 1 - a TVD(P, U), linear in a, so that an a that is normal
    over systems makes a metric that is. Every system has instances of its own; experts differ in their inclination,
    instances in how readily anything is preferred on them.
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
    """One entry a place, by expert; people's side is chosen where the system's is not."""
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
        guess=nobody,
    )


def stored_study(inputs: StudyInputs) -> Study:
    """The same study in the database, as if its experts had answered on the pages."""
    data, answers, now = inputs.data, inputs.answers, timezone.now()
    dataset = Dataset.objects.create(
        slug=data.slug, title=data.title, task=data.task, gold=data.P, fingerprint="f" * 64, is_simulated=True
    )
    Label.objects.bulk_create(Label(dataset=dataset, position=i, name=name) for i, name in enumerate(data.labels))
    rows = Instance.objects.bulk_create(
        Instance(dataset=dataset, position=i, external_id=f"i{i}", segments=[{"name": "", "text": f"text {i}"}])
        for i in range(len(data.P))
    )
    systems = System.objects.bulk_create(
        System(dataset=dataset, predictions=data.Q[name], fingerprint=f"{place:064d}", **origin)
        for place, (name, origin) in enumerate(zip(data.systems, data.origins, strict=True))
    )
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
        for place, row in enumerate(rows)
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
    made = Assignment.objects.bulk_create(assignments)
    LabelResponse.objects.bulk_create(
        LabelResponse(assignment=assignment, labels=[0], key=uuid.uuid4(), created_at=now) for assignment in made
    )
    Assignment.objects.filter(study=study).update(comparison_shown_at=now, completed_at=now)
    PreferenceResponse.objects.bulk_create(
        PreferenceResponse(
            assignment=assignment,
            a_chosen=bool(answers.a_chosen[at]),
            b_chosen=bool(answers.b_chosen[at]),
            key=uuid.uuid4(),
            created_at=now,
        )
        for at, assignment in enumerate(made)
    )
    return study
