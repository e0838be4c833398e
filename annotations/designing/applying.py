"""Store a plan, and give places to named experts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from django.db import models, transaction
from django.db.models import Count, Max, Min, Q
from django.utils.translation import gettext as _

from annotations.designing.averaging import discard_means, store_means
from annotations.designing.pairing import BATCH, read_pairs, shown_by
from annotations.designing.plans import StudyPlan, active_experts, propose
from annotations.designing.sharing import Person, share
from annotations.ground.display_rule import DISPLAY_RULE, DisplayRule
from annotations.ground.errors import Conflict
from annotations.ground.seeding import RandomChoice, generator
from annotations.history import events
from annotations.history.looks import had_elsewhere, known_texts
from annotations.models import Assigning, Assignment, Comparison, EventKind, Membership, Role, Study, StudyState, User


class NotADraft(Conflict):
    """Only a draft without answers can be planned again."""


class NotAnExpert(Conflict):
    """The member is not an active expert in the study."""


class NoFreePlace(Conflict):
    """A comparison already has all its experts."""


class InstanceTwice(Conflict):
    """The expert has already had the instance, and would see its human distribution again."""


class StudyClosed(Conflict):
    """A closed study no longer assigns anything."""


@transaction.atomic
def apply_plan(*, study: Study, actor: User | None = None) -> StudyPlan:
    """Plan the study according to its settings and store the plan: comparisons, and every place that experts will take.

    An earlier plan that nobody has begun to answer is replaced. With assigning by name, all places are shared
    out among the study's experts at once.

    Raises:
        NotADraft: the study is under way.
        TooFewExperts: there are not enough to assign all places by name; the data say how many are `missing`.
        TooFewInstances, TooFewSystems, TooManyPlaces: see `propose`.
    """
    study = Study.objects.select_for_update().select_related("dataset").get(pk=study.pk)
    if study.state != StudyState.DRAFT:
        raise NotADraft(_("Only a draft can be planned; this study has already begun."), state=study.state)
    study.display_rule = DISPLAY_RULE  # a draft planned under an older rule gets the newest with a new plan
    plan = propose(study=study)
    shared = plan.sharing if study.assigning == Assigning.NAMED else None  # raises before anything is deleted
    discard_plan(study)
    study.save(update_fields=["display_rule"])
    store_means(study, plan.candidates)
    comparisons = [_comparison(study, plan, position) for position in range(len(plan.draws))]
    pairs = read_pairs(study=study, shown=shown_by(comparisons, [draw.instance for draw in plan.draws]))
    identical = pairs.identical(DisplayRule.of(study)).tolist()
    for comparison, same, *rows in zip(comparisons, identical, pairs.first, pairs.second, strict=True):
        comparison.identical, (comparison.first_row, comparison.second_row) = same, rows
    Comparison.objects.bulk_create(comparisons, batch_size=BATCH)
    places = [
        Assignment(
            study=study,
            comparison=comparison,
            instance_id=comparison.instance_id,
            place=place,
            places=study.experts_per_comparison,
        )
        for comparison in comparisons
        for place in range(study.experts_per_comparison)
    ]
    if shared is not None:
        holders = {plan.instances[instance]: numbers for instance, numbers in shared.items()}
        _share_out(study, places, holders, plan.experts)
    Assignment.objects.bulk_create(places, batch_size=BATCH)
    events.record(
        EventKind.PLANNED,
        actor=actor,
        study=study,
        comparisons=len(comparisons),
        places=len(places),
        instances_per_system=study.instances_per_system,
        experts_per_comparison=study.experts_per_comparison,
        seed=study.seed,
        runs=study.runs,
        systems=len(plan.systems),
        missing_experts=plan.missing_experts,
    )
    return plan


def discard_plan(study: Study) -> None:
    """Delete a plan that nobody has begun to answer; the caller holds the study's lock. Raises NotADraft."""
    refuse_if_begun(study)
    study.assignments.all().delete()
    study.comparisons.all().delete()
    discard_means(study)


def refuse_if_begun(study: Study) -> None:
    """Raises NotADraft if somebody has begun to answer."""
    begun = Q(claimed_at__isnull=False) | Q(labelresponses__isnull=False) | Q(reports__isnull=False)
    if study.assignments.filter(begun).exists():
        raise NotADraft(_("An expert has already begun to answer this study, so its plan can no longer be replaced."))


@transaction.atomic
def assign_named(
    *, study: Study, expert: Membership, comparisons: Sequence[Comparison], actor: User | None = None
) -> list[Assignment]:
    """Give an expert one free place in each of the listed comparisons; all or none.

    Works in both ways of assigning: in an open pool the expert answers these first.

    Raises:
        NotAnExpert, StudyClosed, NoFreePlace, InstanceTwice: the data name the comparisons by position.
    """
    study = _lock_for_giving(study)
    expert = _lock_experts(study, [expert])[0]
    locked_comparisons = list(study.comparisons.filter(pk__in=[comparison.pk for comparison in comparisons]))
    seen = had_by(study, [expert])[expert.pk]
    twice = [c.position for c in locked_comparisons if c.instance_id in seen]
    if twice or len({c.instance_id for c in locked_comparisons}) < len(comparisons):
        raise InstanceTwice(
            _(
                "The expert already had one of these texts or would get a text twice, or a "
                "comparison does not belong to this study."
            ),
            comparisons=twice,
        )
    lowest = lowest_free(study, locked_comparisons)
    full = sorted(c.position for c in locked_comparisons if c.pk not in lowest)
    if full:
        raise NoFreePlace(
            _("{full} of these comparisons already have all their experts.").format(full=len(full)), comparisons=full
        )
    places = [lowest[comparison.pk] for comparison in comparisons]
    _hand_over(places, expert)
    _store_given(places)
    events.record(EventKind.ASSIGNED, actor=actor, study=study, expert=expert.number, assignments=len(places))
    return places


@transaction.atomic
def share_places(
    *, study: Study, experts: Sequence[Membership] | None = None, actor: User | None = None
) -> dict[int, int]:
    """Share all free places out among experts (by default all active ones); nobody gets an instance twice.

    Returns:
        Expert number -> how many new assignments. Total loads, including what the experts had before, differ by at most
          one wherever that is possible.

    Raises:
        TooFewExperts: the data say how many are `missing`. Nothing was assigned.
    """
    study = _lock_for_giving(study)
    members = _lock_experts(study, active_experts(study) if experts is None else experts)
    seen, loads = had_by(study, members), loads_of(members)
    people = [Person(key=m.number, seen=frozenset(seen[m.pk]), load=loads[m.pk]) for m in members]
    places = list(_lock_free(study).order_by("comparison__position", "place"))
    needs = Counter(place.instance_id for place in places)
    rng = generator(study.seed, RandomChoice.SHARING, sum(loads.values()))
    holders = share(needs=needs, people=people, rng=rng)
    _share_out(study, places, holders, members)
    _store_given(places)
    counts = Counter(number for numbers in holders.values() for number in numbers)
    events.record(EventKind.ASSIGNED, actor=actor, study=study, experts=len(members), assignments=len(places))
    return {member.number: counts[member.number] for member in members}


def loads_of(members: Sequence[Membership]) -> dict[int, int]:
    """How many places each expert has, answered or not. One query."""
    taken = Assignment.objects.taken().filter(expert__in=members).order_by().values_list("expert")
    return {member.pk: 0 for member in members} | dict(taken.annotate(Count("pk")))


def had_by(study: Study, members: Sequence[Membership]) -> dict[int, set[int]]:
    """The texts that each expert has, or has had, in the study or another one."""
    had = known_texts(study, members) if members else {}
    for expert, instance in Assignment.objects.filter(expert__in=members).values_list("expert", "instance"):
        had[expert].add(instance)
    return had


def lowest_free(study: Study, comparisons: Iterable[Comparison]) -> dict[int, Assignment]:
    places = _lock_free(study).filter(comparison__in=[comparison.pk for comparison in comparisons])
    return {place.comparison_id: place for place in places.order_by("comparison_id", "-place")}


def least_covered(*, study: Study, expert: Membership, count: int) -> list[Comparison]:
    """Up to `count` comparisons that an open pool would give this expert next, to reserve them by name."""
    seen = Q(instance__in=expert.assignments.values("instance")) | Q(instance__in=had_elsewhere(expert).values("pk"))
    free = Q(assignments__expert=None, assignments__released_at=None)
    candidates = (
        study.comparisons.exclude(seen)
        .filter(instance__withdrawn_at=None, is_paused=False)
        .annotate(lowest=Min("assignments__place", filter=free))
        .filter(lowest__isnull=False)
        .order_by("lowest", "position")
    )
    chosen: dict[int, Comparison] = {}
    for comparison in candidates:
        if len(chosen) >= count:
            break
        chosen.setdefault(comparison.instance_id, comparison)
    return list(chosen.values())


def _comparison(study: Study, plan: StudyPlan, position: int) -> Comparison:
    draw = plan.draws[position]
    sources = sorted(plan.systems[system].pk for system in (draw.first, draw.second) if system is not None)
    return Comparison(
        study=study,
        instance_id=plan.instances[draw.instance],
        first_system_id=sources[0] if len(sources) == 2 else None,
        second_system_id=sources[-1],
        position=position,
    )


def _lock_for_giving(study: Study) -> Study:
    # Not the key: skipping a text creates a place, which refers to the study, while its expert is locked.
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if study.state == StudyState.CLOSED:
        raise StudyClosed(_("The study is closed."))
    if study.archived_at is not None:
        raise StudyClosed(_("The study is archived. Restore it from the archive first."))
    return study


def _lock_experts(study: Study, members: Iterable[Membership]) -> list[Membership]:
    keys = {member.pk for member in members}
    locked = list(
        Membership.objects.select_for_update()
        .filter(pk__in=keys, study=study, role=Role.EXPERT, is_active=True)
        .order_by("pk")
    )
    if len(locked) < len(keys):
        raise NotAnExpert(_("Places can only be assigned to active experts of the study."))
    return sorted(locked, key=lambda member: member.number)


def _lock_free(study: Study) -> models.QuerySet[Assignment]:
    return Assignment.objects.free().filter(study=study).select_for_update(of=("self",))


def _share_out(
    study: Study, places: Sequence[Assignment], holders: Mapping[int, Sequence[int]], experts: Sequence[Membership]
) -> None:
    """Fill places with the experts chosen for their instances, and give every expert their own order."""
    waiting = {instance: list(numbers) for instance, numbers in holders.items()}
    mine: dict[int, list[Assignment]] = {expert.number: [] for expert in experts}
    for place in places:
        mine[waiting[place.instance_id].pop()].append(place)
    for expert in experts:
        rng = generator(study.seed, RandomChoice.EXPERT_ORDER, expert.number)
        order = rng.permutation(len(mine[expert.number]))
        _hand_over([mine[expert.number][i] for i in order], expert)


def _hand_over(places: Sequence[Assignment], expert: Membership) -> None:
    """Make these the expert's next places, in this order (in memory). Sides are drawn when they are shown."""
    last = expert.assignments.aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    for number, place in enumerate(places, first):
        place.expert = expert
        place.position = number


def _store_given(places: Sequence[Assignment]) -> None:
    Assignment.objects.bulk_update(places, ["expert", "position"], batch_size=BATCH)
