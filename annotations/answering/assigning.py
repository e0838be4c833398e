"""Hand an expert the next assignment: the unfinished one, or the next least-covered place of the pool.

A claim first locks the expert's own membership, so that two tabs of one expert wait for each other and the second
resumes what the first was given; then the place, skipping places that others are just taking.

While the expert works on one assignment, the page also asks for the one *after* it, so an expert holds at most two
unfinished places of the pool. The one ahead is a claim like any other: it has its place in the order, survives a
pause, and can be given back. Until its own step 1 is stored it has no side, and nothing of its step 2 is loaded.

If the study asks for deliberate repeats, they come last; nothing that is sent marks them as repeats.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from annotations.answering.labelling import with_labels
from annotations.answering.progress import (
    ExpertProgress,
    Past,
    first_times,
    history,
    offered,
    progress_of,
    repeatable,
    repeats_left,
    saved_at,
    with_pool,
)
from annotations.answering.seeing import see_newest
from annotations.displaying import with_rows
from annotations.errors import NotFound, Withdrawn
from annotations.models import Assigning, Assignment, Membership, PreferenceResponse, Role, StudyState, User
from annotations.profiles import is_asked_first
from annotations.seeding import RandomChoice, generator


@dataclass(frozen=True)
class Handed:
    """What an expert has in hand. `expert` is loaded with study, dataset and `label_set`; `finished` says why there is
    nothing."""

    expert: Membership
    assignment: Assignment | None
    labels: list[int] | None
    finished: str
    progress: ExpertProgress
    saved_at: datetime | None
    answered: PreferenceResponse | None = None
    more: int = 0
    """How many more texts the expert may ask for, if there is nothing in hand."""


@transaction.atomic
def next_assignment(*, user: User, slug: str) -> Handed:
    """Resume the expert's unfinished assignment, or claim the next free place.

    Least-covered first: the lowest free place, then the study's order; never an instance that the expert has had
    before, even if skipped. At most six queries, whatever the study's size.

    Raises:
        NotFound: the user is not an active expert in such a study.
    """
    return _hand(expert_of(user, lock=True, study__slug=slug))


@transaction.atomic
def following_assignment(*, user: User, token: uuid.UUID) -> Handed:
    """What comes after one of the expert's own assignments, whatever its state; used for fetching ahead.

    Resumes the first *other* unfinished assignment and claims a place only if there is none, so asking again, for
    any assignment, never hands out more than one ahead.

    Raises:
        NotFound: the assignment is not theirs.
    """
    return _hand(expert_of(user, lock=True, assignments__token=token), after=token)


@transaction.atomic
def ask_for_more(*, user: User, slug: str) -> Handed:
    """Accept the offer of more texts: the expert is promised another part, and gets the next text.

    While something is unfinished, or the study takes no answers, asking changes nothing, so a double click asks once.

    Raises:
        NotFound: the user is not an active expert in such a study.
    """
    expert = expert_of(user, lock=True, study__slug=slug)
    past = history(expert)
    if expert.study.accepts_responses and not any(one.is_unfinished and not one.is_held_back for one in past):
        _promise(expert, max(expert.promised or 0, sum(one.is_first_time for one in past)) + offered(expert, past))
    return _hand(expert)


def _promise(expert: Membership, total: int) -> None:
    """Store how many texts the expert is told to expect; never 0, because a place may become free."""
    if total and total != expert.promised:
        expert.promised = total
        Membership.objects.filter(pk=expert.pk).update(promised=total)


def _hand(expert: Membership, *, after: uuid.UUID | None = None) -> Handed:
    past = history(expert)  # after the lock: the query that waited for it may have missed what the other tab did
    unfinished = [one for one in past if one.is_unfinished and not one.is_held_back and one.token != after]
    assignment, labels = None, None
    asked_first = is_asked_first(expert)
    if expert.study.accepts_responses and not asked_first:
        see_newest(expert)
        if expert.promised is None and expert.study.assigning == Assigning.OPEN_POOL:
            _promise(expert, first_times(expert, past))
        resumed = next(((found, one) for one in unfinished if (found := _resume(one))), None)
        if resumed:
            assignment, labels = resumed[0], resumed[1].labels
        else:
            assignment = _claim(expert, past) or _repeat(expert, past)
    progress = progress_of(expert, past)
    return Handed(
        expert=expert,
        assignment=assignment,
        labels=labels,
        finished="" if assignment else _why_nothing(expert, progress, past, asked_first=asked_first),
        progress=progress,
        saved_at=saved_at(past),
        more=offered(expert, past) if assignment is None and not asked_first and expert.study.accepts_responses else 0,
    )


def in_hand(*, user: User, token: uuid.UUID) -> Handed:
    """One of the expert's own assignments in the same shape, without claiming anything.

    Raises:
        NotFound: it is not theirs or was given back.
        Withdrawn: its text was withdrawn.
    """
    expert = expert_of(user, assignments__token=token, assignments__released_at=None)
    past = history(expert)
    return shown(expert, past, next(one for one in past if one.token == token))


def expert_of(user: User, *, lock: bool = False, **which: Any) -> Membership:
    """The user's active membership as an expert, with everything `Handed` needs. Raises NotFound."""
    mine = with_labels(with_pool(Membership.objects.filter(user=user, role=Role.EXPERT, is_active=True, **which)))
    expert: Membership | None = (mine.select_for_update(of=("self",)) if lock else mine).first()
    if expert is None:
        raise NotFound
    return expert


def shown(expert: Membership, past: list[Past], this: Past) -> Handed:
    """One of the expert's assignments as a page shows it; step 2 only once step 1 is stored.

    Raises:
        Withdrawn: its text was withdrawn.
    """
    assignment = _loaded(this)
    if assignment.instance.withdrawn_at is not None:
        raise Withdrawn
    return Handed(
        expert=expert,
        assignment=assignment,
        finished="",
        progress=progress_of(expert, past),
        saved_at=saved_at(past),
        labels=this.labels,
    )


def _resume(this: Past) -> Assignment | None:
    """An assignment that the expert has in hand; None if its text was withdrawn after the history was read."""
    if this.claimed_at is None:
        return _begin(this)
    assignment = _loaded(this)
    return assignment if assignment.instance.withdrawn_at is None else None


def _begin(this: Past) -> Assignment | None:
    """An assignment given to the expert by name, which they now see for the first time; None if its text was
    withdrawn or its system paused meanwhile.
    """
    place = Assignment.objects.select_related("instance").select_for_update(of=("self",)).get(pk=this.pk)
    # Checked again, because withdrawing a text or pausing a system waits for whoever holds its places.
    shown = Assignment.objects.filter(pk=this.pk, instance__withdrawn_at=None, comparison__is_paused=False)
    place.claimed_at = timezone.now()
    return place if shown.update(claimed_at=place.claimed_at) else None


def _loaded(this: Past) -> Assignment:
    """An assignment with everything its step shows, in one query; the distributions only once step 1 is stored."""
    loaded = Assignment.objects.select_related("instance")
    return (with_rows(loaded) if this.labels_at else loaded).get(pk=this.pk)


def _claim(expert: Membership, past: list[Past]) -> Assignment | None:
    study = expert.study
    if study.assigning != Assigning.OPEN_POOL or sum(one.is_first_time for one in past) >= (expert.promised or 0):
        return None
    taken = {
        "expert": expert,
        "position": max((one.position for one in past), default=-1) + 1,
        "is_pilot": study.state == StudyState.PILOT,
        "claimed_at": timezone.now(),
    }
    # Places that others are just taking are skipped; only if nothing else is left do we wait for them,
    # because a failed claim frees its place again.
    while place := _lock_place(expert, skip_locked=True) or _lock_place(expert, skip_locked=False):
        # Now that the place is ours, check its text and systems again: one may have been withdrawn or paused.
        ours = Assignment.objects.filter(pk=place.pk, instance__withdrawn_at=None, comparison__is_paused=False)
        if ours.update(**taken):
            for name, value in taken.items():
                setattr(place, name, value)
            return place
    return None


def _repeat(expert: Membership, past: list[Past]) -> Assignment | None:
    """A text that the expert has answered, once more; only when nothing else is left, to keep it far from the first
    time.

    It is drawn by the study's seed from the earlier half of their answers; the caller holds the expert's lock.
    """
    left = repeats_left(expert, past, total=first_times(expert, past))
    answered = repeatable(expert, past)
    if not left or not answered:
        return None
    early = answered[: max(left, len(answered) // 2)]
    given = sum(one.repeat_of is not None for one in past)
    drawn = generator(expert.study.seed, RandomChoice.REPEATING, expert.number, given).integers(len(early))
    first = Assignment.objects.select_related("instance").get(pk=early[int(drawn)].pk)
    if first.instance.withdrawn_at is not None:
        return None
    return Assignment.objects.create(
        study=expert.study,
        comparison_id=first.comparison_id,
        instance=first.instance,
        place=first.place,
        places=first.places,
        expert=expert,
        position=max(one.position for one in past) + 1,
        is_pilot=first.is_pilot,
        claimed_at=timezone.now(),
        repeat_of=first,
    )


def _lock_place(expert: Membership, *, skip_locked: bool) -> Assignment | None:
    seen = Assignment.objects.filter(expert=expert, instance=OuterRef("instance"), repeat_of=None, seen_before=False)
    return (
        Assignment.objects.free()
        .filter(~Exists(seen), study=expert.study)
        # Comparisons are stored in the study's order, so ordering by key is the same, and the index provides it.
        .order_by("place", "comparison_id")
        .select_related("instance")
        .select_for_update(of=("self",), skip_locked=skip_locked)
        .first()
    )


def _why_nothing(expert: Membership, progress: ExpertProgress, past: list[Past], *, asked_first: bool) -> str:
    if asked_first:
        return "asked_first"
    if expert.study.archived_at is not None:
        return StudyState.CLOSED
    state = expert.study.state
    if state in {StudyState.PAUSED, StudyState.CLOSED}:
        return state
    if state == StudyState.DRAFT:
        return "not_open_yet"
    # What a pause holds back may still come, so experts are not told otherwise.
    is_all = progress.total <= sum(one.counts and not one.is_held_back for one in past)
    return "all_done" if progress.done and is_all else "nothing_available"
