"""Hand an expert the next assignment: the unfinished one, or the next least-covered place of the pool.

A claim first locks the expert's own membership, so that two tabs of one expert wait for each other and the second
resumes what the first was given; then the place, skipping places that others are just taking.

With step 2 of one assignment, the page also gets the one *after* it (recording.py), so an expert holds at most two
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

from annotations.answering.experts import expert_of, first_text, see_newest
from annotations.answering.progress import ExpertProgress, ExpertWorkload, saved_at
from annotations.ground.errors import Withdrawn
from annotations.ground.seeding import RandomChoice, generator
from annotations.history.looks import had_elsewhere, hold_person
from annotations.models import (
    Assignment,
    Comparison,
    Instance,
    LabelResponse,
    Membership,
    PreferenceResponse,
    StudyState,
    User,
)
from annotations.shown.consent import is_asked_first
from annotations.shown.displaying import with_rows


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
    """When the newest answer was stored; None also in the response to an answer, which says it itself."""
    answered: PreferenceResponse | None = None
    more: int = 0
    """How many more texts the expert may ask for, if there is nothing in hand."""


@transaction.atomic
def next_assignment(*, user: User, slug: str) -> Handed:
    """Resume the expert's unfinished assignment, or claim the next free place.

    Least-covered first: the lowest free place, then the study's order; never an instance that the expert has had
    before, even if skipped. The number of queries does not depend on the study's size.

    Raises:
        NotFound: the user is not an active expert in such a study.
    """
    return hand(ExpertWorkload(expert_of(user, lock=True, study__slug=slug)))


@transaction.atomic
def ask_for_more(*, user: User, slug: str) -> Handed:
    """Accept the offer of more texts: the expert is promised another part, and gets the next text.

    While something is unfinished, or the study takes no answers, asking changes nothing, so a double click asks once.

    Raises:
        NotFound: the user is not an active expert in such a study.
    """
    workload = ExpertWorkload(expert_of(user, lock=True, study__slug=slug))
    if workload.expert.study.accepts_responses and not workload.unfinished:
        tally = workload.tally
        _promise(workload, max(workload.expert.promised or 0, tally.kept) + workload.offered())
    return hand(workload)


def _promise(workload: ExpertWorkload, total: int) -> None:
    """Keep how many texts the expert is told to expect; never 0, because a place may become free."""
    if total and total != workload.expert.promised:
        Membership.objects.filter(pk=workload.expert.pk).update(promised=total)
        workload.expert.promised = total


def hand(workload: ExpertWorkload, *, after: uuid.UUID | None = None, is_open: bool = False) -> Handed:
    """What the expert, whose lock the caller holds, has in hand, or is handed now.

    With `after`, an assignment of theirs that the caller may hold too: what comes after it, at step 1 and never more
    than one. If the other one in hand is at step 2, there is nothing, and `finished` is empty: only `next_assignment`
    shows it. Places that others are just taking are then passed over, because who holds a place waits for no other.
    `is_open`: that one is known to be unfinished, so that nobody looks for others if it is the only one.
    """
    expert: Any = workload.expert
    assignment = None
    asked_first = is_asked_first(expert, agreed=expert.agreed, first_text=first_text(expert))
    may_get = not asked_first and not expert.has_looked
    if expert.study.accepts_responses and not asked_first:
        see_newest(expert)
        if expert.promised is None and not workload.is_named:
            _promise(workload, workload.first_times())
        others = workload.tally.given + workload.tally.again - is_open
        assignment = _resumed(workload, after) if others else None
        if assignment is None and may_get:
            assignment = _claim(workload, waits=after is None) or _repeat(workload)
    progress = workload.progress()
    is_handed = assignment is not None and (after is None or assignment.comparison_shown_at is None)
    return Handed(
        expert=expert,
        assignment=assignment if is_handed else None,
        labels=getattr(assignment, "chosen", None) if is_handed else None,
        finished="" if assignment else _why_nothing(workload, progress, asked_first=asked_first),
        progress=progress,
        saved_at=saved_at(expert) if after is None else None,
        more=workload.offered() if assignment is None and may_get and expert.study.accepts_responses else 0,
    )


def _resumed(workload: ExpertWorkload, after: uuid.UUID | None) -> Any:
    """The first assignment that the expert has in hand, or was given by name and now sees for the first time.

    With `after`, another than this one, and without its step 2.
    """
    for assignment in workload.unfinished:
        if assignment.token == after:
            continue
        if assignment.claimed_at is None:
            if not workload.expert.has_looked and (begun := _begin(assignment)):
                workload.tally.handed(is_new=False)
                return begun
        elif assignment.comparison_shown_at is None or after is not None:
            return assignment
        elif (loaded := _loaded(assignment.pk, is_shown=True)).instance.withdrawn_at is None:
            loaded.chosen = assignment.chosen
            return loaded
    return None


def shown(workload: ExpertWorkload, pk: int) -> Handed:
    """One of the expert's assignments as a page shows it; step 2 only once step 1 is stored.

    Raises:
        Withdrawn: its text was withdrawn.
    """
    newest = LabelResponse.objects.filter(assignment=pk).order_by("-revision").values_list("labels", flat=True)
    labels = newest.first()
    assignment = _loaded(pk, is_shown=labels is not None)
    if assignment.instance.withdrawn_at is not None:
        raise Withdrawn
    return Handed(
        expert=workload.expert,
        assignment=assignment,
        finished="",
        progress=workload.progress(),
        saved_at=saved_at(workload.expert),
        labels=labels,
    )


def _begin(given: Assignment) -> Any:
    """An assignment given to the expert by name, which they now see for the first time; None if its text was
    withdrawn or its system paused meanwhile.
    """
    place = Assignment.objects.select_related("instance").select_for_update(of=("self",)).get(pk=given.pk)
    # Checked again, because withdrawing a text or pausing a system waits for whoever holds its places.
    shown = Assignment.objects.filter(pk=given.pk, instance__withdrawn_at=None, comparison__is_paused=False)
    place.claimed_at = timezone.now()
    return place if shown.update(claimed_at=place.claimed_at) else None


def _loaded(pk: int, *, is_shown: bool) -> Any:
    """An assignment with everything its step shows, in one query; the distributions only once step 1 is stored."""
    loaded = Assignment.objects.select_related("instance")
    return (with_rows(loaded) if is_shown else loaded).get(pk=pk)


def load_sides(assignment: Any) -> None:
    """What an assignment at step 2 shows besides what the caller has loaded with it (its comparison)."""
    comparison = assignment.comparison
    rows = comparison.first_row, comparison.second_row
    if rows[0] is None or rows[1] is None:
        loaded: Any = with_rows(Assignment.objects.filter(pk=assignment.pk)).get()
        rows = loaded.first_row, loaded.second_row
    assignment.first_row, assignment.second_row = rows
    assignment.identical = comparison.identical


# Every place has a number, and every place that an expert has a position. Said as conditions, they lead SQLite, once it
# has counted its tables (ANALYZE), to the index that gives the order and to that of one expert's places.
# Comparisons are stored in the study's order, so ordering by key is the same, and the index provides it.
FREE = Assignment.objects.free().filter(place__gte=0).order_by("place", "comparison_id").select_related("instance")
HAD = Assignment.objects.filter(position__gte=0, repeat_of=None, seen_before=False).order_by().values("instance")
STILL_FREE = Assignment.objects.filter(
    Exists(Instance.objects.filter(pk=OuterRef("instance"), withdrawn_at=None)),
    Exists(Comparison.objects.filter(pk=OuterRef("comparison"), is_paused=False)),
).order_by()


def _claim(workload: ExpertWorkload, *, waits: bool) -> Assignment | None:
    expert = workload.expert
    study = expert.study
    if workload.is_named or workload.tally.kept >= (expert.promised or 0):
        return None
    if expert.is_elsewhere:
        hold_person(expert.user_id)  # so that another study hands them no text at this moment
    taken = {
        "expert": expert,
        "position": workload.tally.position,
        "is_pilot": study.state == StudyState.PILOT,
        "claimed_at": timezone.now(),
    }
    while place := lock_place(expert, skip_locked=True) or (waits and lock_place(expert, skip_locked=False)):
        # Places that others are just taking are skipped; only if nothing else is left do we wait for them, because a
        # failed claim frees its place again.
        # Now that the place is ours, check its text and systems again: one may have been withdrawn or paused.
        if STILL_FREE.filter(pk=place.pk).update(**taken):
            for name, value in taken.items():
                setattr(place, name, value)
            workload.tally.handed()
            return place
    return None


def lock_place(expert: Membership, *, skip_locked: bool) -> Assignment | None:
    """The lowest free place that the expert may have, in the study's order, with its text; None if there is none.

    Whoever calls it checks text and systems again, because they may change while it waits for the lock.

    Args:
        skip_locked: leave out places that others are just taking, instead of waiting for them.
    """
    free = FREE.filter(study=expert.study_id).exclude(instance__in=HAD.filter(expert=expert))
    if getattr(expert, "is_elsewhere", True):  # known where the expert was loaded to be handed something
        free = free.exclude(instance__in=had_elsewhere(expert).values("pk"))
    return free.select_for_update(of=("self",), skip_locked=skip_locked).first()


def _repeat(workload: ExpertWorkload) -> Assignment | None:
    """A text that the expert has answered, once more; only when nothing else is left, to keep it far from the first
    time.

    It is drawn by the study's seed from the earlier half of their answers; the caller holds the expert's lock.
    """
    expert, tally = workload.expert, workload.tally
    due = workload.repeats_left(total=workload.first_times())
    answered = list(workload.repeatable().values_list("pk", flat=True)) if due else []
    if not answered:
        return None
    early = answered[: max(due, len(answered) // 2)]
    drawn = generator(expert.study.seed, RandomChoice.REPEATING, expert.number, tally.repeats).integers(len(early))
    first = Assignment.objects.select_related("instance").get(pk=early[int(drawn)])
    if first.instance.withdrawn_at is not None:
        return None
    made = Assignment.objects.create(
        study=expert.study,
        comparison_id=first.comparison_id,
        instance=first.instance,
        place=first.place,
        places=first.places,
        expert=expert,
        position=tally.position,
        is_pilot=first.is_pilot,
        claimed_at=timezone.now(),
        repeat_of=first,
    )
    tally.handed(repeat=True)
    return made


def _why_nothing(workload: ExpertWorkload, progress: ExpertProgress, *, asked_first: bool) -> str:
    study = workload.expert.study
    if asked_first:
        return "asked_first"
    if workload.expert.has_looked:
        return "has_looked"
    if study.archived_at is not None:
        return StudyState.CLOSED
    if study.state in {StudyState.PAUSED, StudyState.CLOSED}:
        return str(study.state)
    if study.state == StudyState.DRAFT:
        return "not_open_yet"
    # What a pause holds back may still come, so experts are not told otherwise.
    is_all = progress.total <= progress.done + len(workload.unfinished)
    return "all_done" if progress.done and is_all else "nothing_available"
