"""Hand an expert the next assignment: the unfinished one, or the next least-covered place of the pool.

Who claims locks their own membership first, so that two tabs of one expert wait for each other and the second
resumes what the first was given; then the place, skipping places that others are just taking.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from annotations.displaying import SOURCES
from annotations.errors import NotFound
from annotations.labelling import with_labels
from annotations.models import Assigning, Assignment, Membership, Role, StudyState, User
from annotations.progress import Past, Progress, history, progress_of, saved_at, with_pool
from annotations.seeding import side_order


@dataclass(frozen=True)
class Handed:
    """What an expert has in hand. `expert` carries study, dataset and `label_set`; `finished` says why nothing is."""

    expert: Membership
    assignment: Assignment | None
    labels: list[int] | None
    finished: str
    progress: Progress
    saved_at: datetime | None


@transaction.atomic
def next_assignment(*, user: User, slug: str) -> Handed:
    """Resume the expert's unfinished assignment, or claim the next free place.

    Least-covered first: the lowest free place, then the study's order; never an instance that the expert has had,
    skipped ones included. At most six queries, whatever the study's size.

    Raises:
        NotFound: the user is no active expert of such a study.
    """
    expert = _lock(user, slug)
    past = history(expert)  # after the lock: the query that waited for it may not know what the other tab did
    unfinished = next((one for one in past if not one.is_completed and not one.is_released), None)
    assignment = None
    if expert.study.accepts_responses:
        assignment = _resume(unfinished) if unfinished else _claim(expert, past)
    progress = progress_of(expert, past)
    return Handed(
        expert=expert,
        assignment=assignment,
        labels=unfinished.labels if unfinished and assignment else None,
        finished="" if assignment else _why_nothing(expert.study.state, progress),
        progress=progress,
        saved_at=saved_at(past),
    )


def in_hand(*, user: User, token: uuid.UUID) -> Handed:
    """One of the expert's own assignments in the same shape, without claiming anything.

    Raises:
        NotFound: it is not theirs, or was given back.
    """
    mine = Membership.objects.filter(user=user, assignments__token=token, assignments__released_at=None)
    expert = with_labels(with_pool(mine)).first()
    if expert is None:
        raise NotFound
    past = history(expert)
    this = next(one for one in past if one.token == token)
    return Handed(
        expert=expert,
        assignment=_loaded(this),
        finished="",
        progress=progress_of(expert, past),
        saved_at=saved_at(past),
        labels=this.labels,
    )


def _lock(user: User, slug: str) -> Membership:
    mine = Membership.objects.filter(user=user, study__slug=slug, role=Role.EXPERT, is_active=True)
    expert: Membership | None = with_labels(with_pool(mine)).select_for_update(of=("self",)).first()
    if expert is None:
        raise NotFound
    return expert


def _resume(past: Past) -> Assignment:
    assignment = _loaded(past)
    if assignment.claimed_at is None:  # given by name: only now the expert sees it
        assignment.claimed_at = timezone.now()
        assignment.save(update_fields=["claimed_at"])
    return assignment


def _loaded(past: Past) -> Assignment:
    """An assignment with all that its step shows, in one query; the distributions only once step 1 is stored."""
    shown = SOURCES if past.labels_at else ("instance",)
    return Assignment.objects.select_related(*shown).get(pk=past.pk)


def _claim(expert: Membership, past: list[Past]) -> Assignment | None:
    study = expert.study
    if study.assigning != Assigning.OPEN_POOL:
        return None
    # Places that others are just taking are passed over; only when nothing else is left we wait for those too,
    # because a claim that fails gives its place back.
    place = _lock_place(expert, skip_locked=True) or _lock_place(expert, skip_locked=False)
    if place is None:
        return None
    kept = sum(not one.is_released for one in past)
    place.expert = expert
    place.position = max((one.position for one in past), default=-1) + 1
    place.side_order = side_order(seed=study.seed, expert=expert.number, turn=kept)
    place.is_pilot = study.state == StudyState.PILOT
    place.claimed_at = timezone.now()
    place.save(update_fields=["expert", "position", "side_order", "is_pilot", "claimed_at"])
    return place


def _lock_place(expert: Membership, *, skip_locked: bool) -> Assignment | None:
    seen = Assignment.objects.filter(expert=expert, instance=OuterRef("instance"), repeat_of=None)
    return (
        Assignment.objects.free()
        .filter(~Exists(seen), study=expert.study)
        # Comparisons are stored in the study's order, so their keys say it too, and the index gives it.
        .order_by("place", "comparison_id")
        .select_related("instance")
        .select_for_update(of=("self",), skip_locked=skip_locked)
        .first()
    )


def _why_nothing(state: str, progress: Progress) -> str:
    if state in {StudyState.PAUSED, StudyState.CLOSED}:
        return state
    return "all_done" if progress.done else "nothing_available"
