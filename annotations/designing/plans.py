"""A plan: what would be shown and to how many people, before anything is stored."""

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from django.db.models import Count
from django.utils.translation import gettext as _

from annotations.designing.averaging import Candidates, candidates, read_systems
from annotations.designing.concealing import to_avoid
from annotations.designing.drawing import MOST_PLANNED, MOST_SHARES, Draw, TooManyPlaces, draw
from annotations.designing.pairing import Shown
from annotations.designing.sharing import Person, TooFewExperts, missing_experts, share
from annotations.designing.workload import comparisons_of, too_many
from annotations.ground.arrays import Integers, Mask, absent_rows
from annotations.ground.seeding import RandomChoice, generator
from annotations.models import Assigning, Assignment, Instance, Membership, Study, System
from annotations.models.comparisons import in_plan
from annotations.models.datasets import matrix_or_error
from annotations.shown.plurals import filled, with_commas, written


@dataclass(frozen=True)
class StudyPlan:
    """All comparisons of a study in order, and what follows from them.

    `draws` refers to systems and instances by their positions in `systems` and `instances`.
    """

    candidates: Candidates
    instances: tuple[int, ...] = field(repr=False)  # primary keys, by position
    draws: tuple[Draw, ...] = field(repr=False)
    experts: tuple[Membership, ...]
    experts_per_comparison: int
    instances_per_system: int
    assigning: str
    seed: int

    @property
    def systems(self) -> tuple[System, ...]:
        """The systems compared: imported ones, or means of their runs."""
        return self.candidates.systems

    @cached_property
    def matrix(self) -> Integers:
        """systems x instances: how many comparisons of the system show the instance (0 or 1)."""
        matrix = np.zeros((len(self.systems), len(self.instances)), dtype=np.int64)
        for drawn in self.draws:
            for system in {drawn.first, drawn.second} - {None}:
                matrix[system, drawn.instance] += 1
        return matrix

    @cached_property
    def uses(self) -> Integers:
        """instances: how many comparisons show the instance."""
        return np.bincount([draw.instance for draw in self.draws], minlength=len(self.instances))

    @property
    def shown(self) -> list[Shown]:
        """What every comparison shows, in order."""
        return [
            (
                None if draw.first is None else self.candidates.key(draw.first),
                self.candidates.key(draw.second),
                draw.instance,
            )
            for draw in self.draws
        ]

    @property
    def places(self) -> int:
        return len(self.draws) * self.experts_per_comparison

    @property
    def needs(self) -> dict[int, int]:
        """instance -> number of places, each of which needs a different person."""
        return {i: int(count) * self.experts_per_comparison for i, count in enumerate(self.uses) if count}

    @property
    def experts_needed(self) -> int:
        """The least number of experts: c comparisons of one instance, e experts each, need c x e people."""
        return max(self.needs.values(), default=0)

    @property
    def missing_experts(self) -> int:
        return missing_experts(needs=self.needs, people=self.people)

    @property
    def people(self) -> list[Person]:
        return [Person(key=expert.number) for expert in self.experts]

    @cached_property
    def sharing(self) -> dict[int, list[int]]:
        """instance -> numbers of the experts who get one of its places each (assigning by name)."""
        return share(needs=self.needs, people=self.people, rng=generator(self.seed, RandomChoice.SHARING))

    @property
    def loads(self) -> dict[int, int]:
        """Expert number -> assignments: as shared out or, in an open pool, an equal part each, rounded up."""
        if self.assigning == Assigning.NAMED:
            try:
                sharing = self.sharing
            except TooFewExperts:
                return {}
            numbers = [number for holders in sharing.values() for number in holders]
            return {expert.number: numbers.count(expert.number) for expert in self.experts}
        if not self.experts:
            return {}
        part = math.ceil(self.places / max(len(self.experts), self.experts_needed))
        return {expert.number: part for expert in self.experts}

    @property
    def statement(self) -> str:
        """The plan in sentences for people."""
        fewest, most = int(self.uses.min()), int(self.uses.max())
        used = _("{most, plural, one {Each text is used once.} other {Each text is used # times.}}")
        if fewest != most:
            used = _("Each text is used {fewest} to {most} times.")
        sentences = [
            filled(
                _(
                    "{comparisons, plural, one {# comparison} other {# comparisons}} of {systems, plural, one {# "
                    "system} other {# systems}} on {texts, plural, one {# text} other {# texts}}."
                ),
                comparisons=len(self.draws),
                systems=len(self.systems),
                texts=len(self.instances),
            ),
            filled(used, fewest=fewest, most=most),
            *self.candidates.statements,
            filled(
                _("{places, plural, one {# place} other {# places}}, {experts} for each comparison."),
                places=self.places,
                experts=self.experts_per_comparison,
            ),
            filled(
                _(
                    "Nobody sees a text twice, so at least {number, plural, one {# expert is} other {# experts are}} "
                    "needed ({most} x {experts} for a text)."
                ),
                number=self.experts_needed,
                most=most,
                experts=self.experts_per_comparison,
            ),
        ]
        odd = {int(n) for n in self.matrix.sum(axis=1)} - {self.instances_per_system}
        if odd:
            sentences.append(
                _("{systems} x {texts} is odd, so one system takes part only {times} times.").format(
                    systems=len(self.systems), texts=self.instances_per_system, times=odd.pop()
                )
            )
        lacking = [f"{system.name}: {system.missing}" for system in self.systems if system.missing]
        if lacking:
            sentences.append(
                _("Texts without a prediction are never drawn ({counts}).").format(counts=with_commas(lacking))
            )
        have = len(self.experts)
        if self.missing_experts:
            most_each = math.ceil(self.places / self.experts_needed)
            sentences.append(
                filled(
                    _(
                        "The study has {have, plural, one {# active expert} other {# active experts}} and needs "
                        "{missing} more. With {needed} experts, each would get up to {most} texts."
                    ),
                    have=have,
                    missing=self.missing_experts,
                    needed=self.experts_needed,
                    most=most_each,
                )
            )
        else:
            loads = self.loads.values()
            each = str(min(loads))
            if min(loads) != max(loads):
                each = _("{fewest} to {most}").format(fewest=min(loads), most=max(loads))
            message = _(
                "The study has {have, plural, one {# active expert} other {# active experts}}. Texts per "
                "expert: {each}."
            )
            sentences.append(filled(message, have=have, each=each))
        return " ".join(sentences)


def propose(*, study: Study, more_experts: int = 0) -> StudyPlan:
    """The plan for a study's settings (saved or not): the same settings and seed give the same plan.

    Args:
        more_experts: how many experts to count in addition to those the study has.

    Raises:
        TooFewInstances, TooFewSystems: the dataset does not have what the settings require.
        TooManyPlaces: the settings require more than can be planned.
    """
    instances = tuple(Instance.objects.filter(dataset=study.dataset).order_by("position").values_list("pk", flat=True))
    compared = candidates(study)
    comparisons = comparisons_of(len(compared.systems), study.instances_per_system, study.compares)
    if study.instances_per_system <= len(instances):
        _refuse_too_much(study, comparisons)
    draws = draw(
        systems=len(compared.systems),
        instances=len(instances),
        per_system=study.instances_per_system,
        compares=study.compares,
        seed=study.seed,
        avoided=to_avoid(study, [compared.key(place) for place in range(len(compared.systems))]),
        absent=_absent(study, compared, len(instances)),
    )
    experts = active_experts(study) if study.pk else []
    first = max((expert.number for expert in experts), default=-1) + 1
    experts += [Membership(number=first + n) for n in range(more_experts)]
    return StudyPlan(
        candidates=compared,
        instances=instances,
        draws=draws,
        experts=tuple(experts),
        experts_per_comparison=study.experts_per_comparison,
        instances_per_system=study.instances_per_system,
        assigning=study.assigning,
        seed=study.seed,
    )


def _refuse_too_much(study: Study, comparisons: int) -> None:
    places = comparisons * study.experts_per_comparison
    if places > MOST_PLANNED:
        raise TooManyPlaces(too_many(places), places=places)
    labels = study.dataset.labels.count()
    if comparisons * labels > MOST_SHARES:
        raise TooManyPlaces(
            _(
                "With {labels} labels, no more than {most} comparisons can be planned, but this would be "
                "{comparisons}. Set fewer texts per system."
            ).format(labels=written(labels), most=written(MOST_SHARES // labels), comparisons=written(comparisons)),
            comparisons=comparisons,
        )


def _absent(study: Study, compared: Candidates, instances: int) -> Mask:
    absent = np.zeros((len(compared.systems), instances), dtype=bool)
    lacking = {compared.key(place): place for place, system in enumerate(compared.systems) if system.missing}
    for system in read_systems(study, lacking):
        absent[lacking[system.pk]] = absent_rows(matrix_or_error(system.predictions))
    return absent


def active_experts(study: Study) -> list[Membership]:
    return list(study.memberships.experts().filter(is_active=True).order_by("number"))


def missing_in(study: Study, *, used_up: Counter[int] | None = None) -> int:
    """How many more experts the free places need, since an expert who has seen an instance cannot take it again.

    `used_up`: additional places of each instance that will become free.
    """
    experts = len(active_experts(study))
    free = Counter(
        dict(
            Assignment.objects.free()
            .filter(study=study)
            .order_by()
            .values_list("instance")
            .annotate(places=Count("pk"))
        )
    )
    free.update(used_up or {})
    # An expert has each text once, except repeats and texts restored as seen before, whose first place is also there.
    seen = dict(
        Assignment.objects.filter(study=study, expert__is_active=True, repeat_of=None, seen_before=False)
        .order_by()
        .values_list("instance")
        .annotate(experts=Count("pk"))
    )
    return max((places - (experts - seen.get(instance, 0)) for instance, places in free.items()), default=0)


def used_up(study: Study) -> Counter[int]:
    """Instance -> how many places the pilot has used up, which will be replaced when the study opens."""
    if study.opened_at is not None:
        return Counter()
    shown = study.assignments.filter(in_plan(), comparison_shown_at__isnull=False, repeat_of=None)
    return Counter(shown.filter(instance__withdrawn_at=None).values_list("instance", flat=True))
