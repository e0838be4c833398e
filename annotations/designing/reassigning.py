"""Changing who answers which comparison: give, take back, move, share out, upload a list, and undo the last change.

Only places that their expert has not begun can change hands: from step 1 on an answer is theirs. What an invariant
forbids is refused, with the reason for each comparison, and nothing changes. Every change is one event, which lists
the places' keys, so that the newest can be undone.

A text is in the field of the experts whose specialism most of its people chose as a label. Experts are not told,
because knowing that a text is in their field would reveal what others chose.
"""

import csv
import io
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.utils.translation import gettext as _

from annotations.designing.applying import (
    _lock_experts,
    _lock_for_giving,
    _lock_free,
    had_by,
    loads_of,
    lowest_free,
)
from annotations.designing.pairing import BATCH
from annotations.ground.errors import Conflict
from annotations.history import events
from annotations.history.looks import known_texts
from annotations.models import (
    Assignment,
    Comparison,
    Event,
    EventKind,
    Instance,
    Label,
    LabelResponse,
    Membership,
    Report,
    Study,
    User,
)
from annotations.shown.plurals import filled

MOST = 2000
"""The most places that one change may affect: nobody could check more, and the event lists them all."""


class Refused(Conflict):
    """Part of the request is not allowed, so nothing was changed. The data say what and why for each comparison."""

    code = "assignments_refused"


class NothingToUndo(Conflict):
    """The change is not the newest one, or was already undone."""


class Refusal(NamedTuple):
    """Why one comparison could not be changed."""

    comparison: int
    instance: str
    reason: str


@transaction.atomic
def give(
    *, study: Study, expert: Membership, comparisons: Sequence[int], extra: bool = False, actor: User | None = None
) -> Event:
    """Give an expert a place in each of these comparisons, by their positions.

    Args:
        extra: if a comparison already has all its experts, make one more place.

    Raises:
        StudyClosed, NotAnExpert, Refused.
    """
    study = _lock_for_giving(study)
    expert = _lock_experts(study, [expert])[0]
    requested = _comparisons(study, comparisons)
    free = lowest_free(study, requested)
    _refuse(_not_for(expert, requested) + _paused(requested) + ([] if extra else _full(requested, free)))
    made = [_extra_place(comparison) for comparison in requested if comparison.pk not in free]
    rows = [free[comparison.pk] for comparison in requested if comparison.pk in free] + made
    return _done(study, actor, "give", _hand((expert, rows)), made=[comparison.pk for comparison in made])


@transaction.atomic
def take_back(*, study: Study, assignments: Sequence[int], actor: User | None = None) -> Event:
    """Take back places that their experts have not begun, making them free again. Raises StudyClosed, Refused."""
    study = _lock_for_giving(study)
    rows = _lock_held(study, assignments)
    _refuse(_begun(rows))
    return _done(study, actor, "take_back", free_places(rows))


@transaction.atomic
def move(*, study: Study, assignments: Sequence[int], to: Membership, actor: User | None = None) -> Event:
    """Give places that their experts have not begun to another expert. Raises StudyClosed, NotAnExpert, Refused."""
    study = _lock_for_giving(study)
    rows = _lock_held(study, assignments, to)
    to = _lock_experts(study, [to])[0]
    _refuse(_begun(rows) or _not_for(to, [row.comparison for row in rows]))
    return _done(study, actor, "move", _hand((to, rows)))


@dataclass(frozen=True, slots=True)
class SharedOut:
    """What sharing out assigned, or would assign: without an event nothing was changed."""

    event: Event | None
    left: int
    """Places that remain free."""
    experts: tuple[tuple[int, int, int], ...]
    """For each expert: their number, their new places, and how many of these are for texts in their field."""

    @property
    def changed(self) -> int:
        return sum(places for _, places, _ in self.experts)


@transaction.atomic
def share_evenly(
    *,
    study: Study,
    experts: Sequence[Membership],
    most_each: int | None = None,
    fields: Mapping[int, Collection[int]] | None = None,
    dry_run: bool = False,
    actor: User | None = None,
) -> SharedOut:
    """Assign free places, each to the eligible expert with the fewest.

    Args:
        most_each: the most new places one expert may get.
        fields: for each expert, by key, the instances in their field: these go to them first, and evenly among them.
        dry_run: only report what would be assigned.
    """
    study = _lock_for_giving(study)
    members = _lock_experts(study, experts)
    loads, seen = loads_of(members), had_by(study, members)
    fields = fields or {}
    shares: dict[int, list[Assignment]] = {member.pk: [] for member in members}
    places = list(_lock_free(study).order_by("place", "comparison__position"))
    in_field = {instance for instances in fields.values() for instance in instances}
    places.sort(key=lambda place: place.instance_id not in in_field)  # stable; texts in somebody's field come first
    free, all_given = 0, 0
    for place in places:
        able = [
            member
            for member in members
            if place.instance_id not in seen[member.pk] and (most_each is None or len(shares[member.pk]) < most_each)
        ]
        if not able or all_given >= MOST:
            free += 1
            continue
        of_field = [member for member in able if place.instance_id in fields.get(member.pk, ())]
        chosen = min(of_field or able, key=lambda member: (loads[member.pk], member.number))
        all_given += 1
        loads[chosen.pk] += 1
        seen[chosen.pk].add(place.instance_id)
        shares[chosen.pk].append(place)
    new = tuple(
        (member.number, len(mine), sum(place.instance_id in fields.get(member.pk, ()) for place in mine))
        for member in members
        for mine in [shares[member.pk]]
    )
    if dry_run:
        return SharedOut(None, free, new)
    changed = _hand(*((member, shares[member.pk]) for member in members))
    return SharedOut(_done(study, actor, "share", changed), free, new)


@transaction.atomic
def give_listed(*, study: Study, pairs: Sequence[tuple[int, int]], actor: User | None = None) -> Event:
    """Assign what a list of (comparison position, expert number) says; all or nothing.

    Raises:
        StudyClosed, NotAnExpert, Refused.
    """
    study = _lock_for_giving(study)
    numbers = {number for _, number in pairs}
    members = _lock_experts(study, study.memberships.experts().filter(number__in=numbers))
    by_number = {member.number: member for member in members}
    refusals: list[Refusal] = []
    changed = []
    for number in sorted(numbers):
        requested = _comparisons(study, [position for position, other in pairs if other == number])
        if number not in by_number:
            refusals += [
                _refusal(comparison, _("there is no active expert {number}").format(number=number))
                for comparison in requested
            ]
            continue
        free = lowest_free(study, requested)
        refusals += _not_for(by_number[number], requested) + _paused(requested) + _full(requested, free)
        if not refusals:
            changed += _hand((by_number[number], [free[comparison.pk] for comparison in requested]))
    _refuse(refusals)
    return _done(study, actor, "upload", changed)


@transaction.atomic
def undo(*, study: Study, event: int, actor: User | None = None) -> Event:
    """Undo the newest change, if its places are still untouched. Raises StudyClosed, NothingToUndo, Refused."""
    study = _lock_for_giving(study)
    act = last_act(study)
    if act is None or act.pk != event or act.data["act"] == "undo":
        raise NothingToUndo(_("Only the latest change to assignments can be undone, and only once."))
    before = {pk: before for pk, before, _ in act.data["rows"]}
    after = {pk: after for pk, _, after in act.data["rows"]}
    members = {expert.number: expert for expert in study.memberships.experts()}
    involved = [members[n] for n in {*before.values(), *after.values()} - {None} if n in members]
    list(
        Membership.objects.select_for_update().filter(pk__in=[m.pk for m in involved]).order_by("pk").values_list("pk")
    )
    rows = list(_held_rows(study).filter(pk__in=before).order_by("pk").select_for_update(of=("self",)))
    refusals = _begun([row for row in rows if row.expert_id])
    numbers = {place.pk: number for number, place in members.items()}
    for place in rows:
        if (numbers[place.expert_id] if place.expert_id else None) != after[place.pk]:
            refusals.append(_refusal(place.comparison, _("another expert has it now")))
    _refuse(refusals)
    changed = free_places([row for row in rows if row.expert_id])
    for number in sorted({n for n in before.values() if n is not None}):
        mine = [row for row in rows if before[row.pk] == number]
        if number not in members or not members[number].is_active:
            _refuse(
                [
                    _refusal(place.comparison, _("expert {number} is no longer active").format(number=number))
                    for place in mine
                ]
            )
        _refuse(_not_for(members[number], [place.comparison for place in mine]))
        changed += _hand((members[number], mine))
    study.assignments.filter(pk__in=act.data["made"], expert=None).delete()
    return _done(study, actor, "undo", changed)


def last_act(study: Study) -> Event | None:
    """The newest manual change of assignments."""
    return (
        Event.objects.select_related("actor")
        .filter(study=study, kind=EventKind.ASSIGNED, data__has_key="act")
        .order_by("-pk")
        .first()
    )


Change = tuple[int, int | None, int | None]
"""A place's key, and the numbers of its previous and its new expert."""


def _done(study: Study, actor: User | None, act: str, changed: list[Change], made: Iterable[int] = ()) -> Event:
    return events.record(
        EventKind.ASSIGNED,
        actor=actor,
        study=study,
        act=act,
        assignments=len({pk for pk, *_ in changed}),
        experts=sorted({number for _, *numbers in changed for number in numbers if number is not None}),
        rows=changed,
        made=list(made),
    )


def _comparisons(study: Study, positions: Sequence[int]) -> list[Comparison]:
    by_position = {
        comparison.position: comparison
        for comparison in study.comparisons.filter(position__in=positions).select_related("instance")
    }
    unknown = sorted({position for position in positions if position not in by_position})
    _refuse([Refusal(position, "", _("this comparison does not exist")) for position in unknown])
    twice = sorted({position for position in positions if list(positions).count(position) > 1})
    _refuse([_refusal(by_position[position], _("it is listed twice")) for position in twice])
    return [by_position[position] for position in positions]


def _not_for(expert: Membership, comparisons: Iterable[Comparison]) -> list[Refusal]:
    """Which comparisons the expert may not have, since nobody is shown a text twice."""
    had = had_by(expert.study, [expert])[expert.pk]
    refusals = []
    for comparison in comparisons:
        if comparison.instance_id in had:
            refusals.append(
                _refusal(comparison, _("expert {number} already has or had this text").format(number=expert.number))
            )
        elif comparison.instance.withdrawn_at is not None:
            refusals.append(_refusal(comparison, _("its text was withdrawn")))
        had.add(comparison.instance_id)
    return refusals


def _paused(comparisons: Iterable[Comparison]) -> list[Refusal]:
    return [
        _refusal(comparison, _("one of its systems is paused")) for comparison in comparisons if comparison.is_paused
    ]


def _full(wanted: Iterable[Comparison], free: Mapping[int, Assignment]) -> list[Refusal]:
    full = [one for one in wanted if one.pk not in free and not one.is_paused]
    return [_refusal(one, _("it already has all its experts")) for one in full]


def _begun(rows: Sequence[Assignment]) -> list[Refusal]:
    keys = [row.pk for row in rows]
    begun = set(LabelResponse.objects.filter(assignment__in=keys).values_list("assignment", flat=True))
    begun |= set(Report.objects.filter(assignment__in=keys).values_list("assignment", flat=True))
    reasons: list[Refusal] = []
    for row in rows:
        if row.expert is None:
            reason = _("no expert has this place")
        elif row.completed_at is not None:
            reason = _("expert {number} has already answered it").format(number=row.expert.number)
        elif row.released_at is not None:
            reason = _("expert {number} has skipped it").format(number=row.expert.number)
        elif row.comparison_shown_at is not None or row.pk in begun:
            reason = _("expert {number} has already begun it").format(number=row.expert.number)
        else:
            continue
        reasons.append(_refusal(row.comparison, reason))
    return reasons


def _refusal(comparison: Comparison, reason: str) -> Refusal:
    return Refusal(comparison.position, comparison.instance.external_id, reason)


def _refuse(refusals: Sequence[Refusal]) -> None:
    if not refusals:
        return
    first = refusals[0]
    which = _("Comparison {number} (text {text}): {reason}.") if first.instance else _("Comparison {number}: {reason}.")
    sentences = [
        _("Nothing was changed."),
        filled(which, number=first.comparison, text=first.instance, reason=first.reason),
    ]
    if len(refusals) > 1:
        sentences.append(filled(_("{more, plural, one {And # more.} other {And # more.}}"), more=len(refusals) - 1))
    raise Refused(" ".join(sentences), refusals=[refusal._asdict() for refusal in refusals[:MOST]])


def _extra_place(comparison: Comparison) -> Assignment:
    """Make a place beyond those in the plan; it is not assigned yet."""
    place = max(comparison.assignments.values_list("place", flat=True), default=-1) + 1
    return Assignment.objects.create(
        study_id=comparison.study_id,
        comparison=comparison,
        instance_id=comparison.instance_id,
        place=place,
        places=place + 1,
    )


def _held_rows(study: Study) -> Any:
    return study.assignments.select_related("comparison__instance", "expert")


def _lock_held(study: Study, keys: Sequence[int], *others: Membership) -> list[Assignment]:
    """Lock places of the study, their experts first. Missing ones are refused."""
    holders = Membership.objects.filter(Exists(study.assignments.filter(pk__in=keys, expert=OuterRef("pk"))))
    keys_of_experts = [*holders.values_list("pk", flat=True), *(other.pk for other in others)]
    list(Membership.objects.filter(pk__in=keys_of_experts).order_by("pk").select_for_update().values_list("pk"))
    rows = _held_rows(study).filter(Q(repeat_of=None), pk__in=keys).order_by("pk").select_for_update(of=("self",))
    by_key = {row.pk: row for row in rows}
    if len(by_key) < len(set(keys)):
        raise Refused(
            _("Nothing was changed. Some of these places no longer exist; please reload the page."), refusals=[]
        )
    return [by_key[key] for key in dict.fromkeys(keys)]


def _hand(*given: tuple[Membership, Sequence[Assignment]]) -> list[Change]:
    """Make these their experts' next places, with new tokens, so that other people's open pages can no longer use them.

    Two queries, however many experts there are.
    """
    held = Assignment.objects.filter(expert__in=[expert for expert, _ in given], position__isnull=False)
    last = dict(held.order_by().values_list("expert").annotate(Max("position")))
    changed: list[Change] = []
    for expert, rows in given:
        changed += [(row.pk, row.expert.number if row.expert else None, expert.number) for row in rows]
        for position, one in enumerate(rows, last.get(expert.pk, -1) + 1):
            one.expert, one.position = expert, position
            one.claimed_at, one.is_pilot, one.token = None, False, uuid.uuid4()
    _store([row for _, rows in given for row in rows])
    return changed


def free_places(rows: Sequence[Assignment]) -> list[Change]:
    """Free places, with new tokens, so that their previous experts' open pages can no longer use them. The rows are
    locked.
    """
    changed: list[Change] = [(row.pk, row.expert.number if row.expert else None, None) for row in rows]
    for row in rows:
        row.expert, row.position, row.claimed_at, row.is_pilot, row.token = None, None, None, False, uuid.uuid4()
    _store(rows)
    return changed


def _store(rows: Sequence[Assignment]) -> None:
    Assignment.objects.bulk_update(rows, ["expert", "position", "claimed_at", "is_pilot", "token"], batch_size=BATCH)


COLUMNS = ("comparison", "expert")


def read_list(*, study: Study, text: str) -> tuple[list[tuple[int, int]], list[str]]:
    """The pairs in the list, and every reason why it cannot be applied, by line. Six queries."""
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff")))
    names = [(name or "").strip().lower() for name in reader.fieldnames or []]
    if not set(COLUMNS) <= set(names):
        return [], [_("Line 1: the columns must be named comparison and expert.")]
    comparisons = {
        position: (pk, instance, text_id)
        for pk, position, instance, text_id in study.comparisons.values_list(
            "pk", "position", "instance", "instance__external_id"
        )
    }
    members = list(study.memberships.experts().filter(is_active=True))
    experts = {member.number for member in members}
    elsewhere = known_texts(study, members)
    had = {(member.number, instance) for member in members for instance in elsewhere[member.pk]}
    had |= set(study.assignments.filter(expert__isnull=False).values_list("expert__number", "instance"))
    free: dict[int, int] = {}
    for comparison in Assignment.objects.free().filter(study=study).values_list("comparison", flat=True):
        free[comparison] = free.get(comparison, 0) + 1
    pairs: list[tuple[int, int]] = []
    problems: list[str] = []
    for row in reader:
        line = reader.line_num
        cells = dict(zip(names, (value for value in row.values() if isinstance(value, str)), strict=False))
        values = [cells.get(name, "").strip() for name in COLUMNS]
        if not all(value.isascii() and value.isdigit() and len(value) < 10 for value in values):
            problems.append(_("Line {line}: comparison and expert must be whole numbers.").format(line=line))
            continue
        position, number = (int(value) for value in values)
        if position not in comparisons:
            problems.append(_("Line {line}: there is no comparison {position}.").format(line=line, position=position))
        elif number not in experts:
            problems.append(_("Line {line}: there is no active expert {number}.").format(line=line, number=number))
        else:
            pk, instance, text_id = comparisons[position]
            if (number, instance) in had:
                problems.append(
                    _("Line {line}: expert {number} already has or had text {text_id}.").format(
                        line=line, number=number, text_id=text_id
                    )
                )
            elif not free.get(pk):
                problems.append(
                    _("Line {line}: comparison {position} (text {text_id}) has no free places.").format(
                        line=line, position=position, text_id=text_id
                    )
                )
            else:
                had.add((number, instance))
                free[pk] -= 1
                pairs.append((position, number))
    if len(pairs) > MOST:
        problems.append(
            _("The list assigns {pairs} places, but the limit is {most} at a time.").format(pairs=len(pairs), most=MOST)
        )
    if not pairs and not problems:
        problems.append(_("The list has no rows."))
    return pairs, problems


FIELD = "specialism"


class NoSpecialism(Conflict):
    """No expert's specialism is, or was matched with, a label of the dataset."""


@dataclass(frozen=True, slots=True)
class Specialism:
    """What experts said they mainly work on."""

    name: str
    experts: int
    """How many active experts said so."""
    labels: tuple[str, ...]
    """The labels, as experts read them, that belong to it by default."""


def specialisms_of(study: Study) -> list[Specialism]:
    """What a study's experts said, in alphabetical order."""
    columns, names = _columns(study), [label.shown for label in study.dataset.labels.all()]
    profiles = study.memberships.experts().filter(is_active=True).values_list("profile", flat=True)
    counts = Counter(specialism for profile in profiles for specialism in _specialisms(profile))
    return [
        Specialism(
            specialism, count, (names[columns[specialism.casefold()]],) if specialism.casefold() in columns else ()
        )
        for specialism, count in sorted(counts.items(), key=lambda item: item[0].casefold())
    ]


def texts_in_field(
    *, study: Study, members: Iterable[Membership], labels: Mapping[str, Sequence[str]] | None = None
) -> dict[int, frozenset[int]]:
    """For each expert, the instances in their field.

    Args:
        labels: the labels that belong to a specialism, by name or as experts read them; a specialism not listed
            here has the label of the same name.

    Raises:
        NoSpecialism: nobody's specialism has a label.
    """
    columns = _columns(study)
    labels_by_specialism = {name.casefold(): list(names) for name, names in (labels or {}).items()}
    gold = study.dataset.gold
    chosen_most = (gold == gold.max(axis=1, keepdims=True)) & (gold > 0) if gold.size else np.zeros(gold.shape, bool)
    pks = np.array(
        list(Instance.objects.filter(dataset=study.dataset_id).order_by("position").values_list("pk", flat=True))
    )
    texts: dict[int, frozenset[int]] = {}
    for member in members:
        own = [specialism.casefold() for specialism in _specialisms(member.profile)]
        field_labels = [
            label.casefold() for specialism in own for label in labels_by_specialism.get(specialism, [specialism])
        ]
        places = sorted({columns[label] for label in field_labels if label in columns})
        texts[member.pk] = frozenset(pks[chosen_most[:, places].any(axis=1)].tolist() if places else ())
    if not any(texts.values()):
        raise NoSpecialism(
            _(
                "None of the experts' specialisms matches a label of this dataset. Ask experts for their specialism "
                "under Design and offer the label names as options, or specify which labels belong to which specialism."
            )
        )
    return texts


def _columns(study: Study) -> dict[str, int]:
    named = Label.objects.filter(dataset=study.dataset_id).order_by("position")
    return {name.casefold(): label.position for label in named for name in (label.display_name, label.name) if name}


def _specialisms(profile: Mapping[str, object]) -> list[str]:
    name = profile.get(FIELD)
    return [name] if isinstance(name, str) and name else []
