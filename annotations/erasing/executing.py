"""The work of an erasure: the database in one transaction, then the files, then what the database left behind."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from annotations.background.executors import executes
from annotations.background.jobs import JobProgress
from annotations.erasing.cleaning import clean, secure_deletes
from annotations.erasing.counting import Counts
from annotations.erasing.people import erase_person
from annotations.erasing.retention import sweep_sometimes
from annotations.erasing.stored_files import delete_files
from annotations.erasing.studies import erase_dataset, erase_study
from annotations.erasing.targets import find, mark_of, remember
from annotations.erasing.texts import erase_text
from annotations.ground.progress import Progress
from annotations.history import events
from annotations.models import Dataset, Erasure, EventKind, Instance, JobState, Study, User

STEPS = 3


def tidy_up() -> None:
    """Finish what a dead worker left, and apply what is kept how long."""
    remove_left_files()
    sweep_sometimes()


def remove_left_files() -> None:
    """Delete the files of erasures whose worker died between the transaction and the files; write their entries."""
    for erasure in Erasure.objects.exclude(erased_at=None).exclude(files=[]):
        _remove_files(erasure)


@executes(Erasure, tidy_up=tidy_up)
def execute_erasure(erasure: Erasure, progress: Progress) -> dict[str, Any]:
    """Erase; repeating what is done changes nothing. Returns the fields to store with its success."""
    progress(0, STEPS, "")
    if erasure.erased_at is None:
        erase_rows(erasure)
    erasure.refresh_from_db()
    progress(1, STEPS, "")
    _remove_files(erasure)
    progress(2, STEPS, "")
    clean(erasure.counts)
    return {}


def carry_out(erasure: Erasure) -> None:
    """Do it here and now, without a worker (commands, a restore)."""
    execute_erasure(erasure, JobProgress())
    now = timezone.now()
    Erasure.objects.filter(pk=erasure.pk).update(state=JobState.SUCCEEDED, finished_at=now, progress_done=STEPS)


def erase_rows(erasure: Erasure) -> None:
    """Erase everything from the database, and record it, in one transaction: all of it or nothing."""
    with secure_deletes(), transaction.atomic():
        erasure = Erasure.objects.select_for_update(of=("self",)).get(pk=erasure.pk)
        if erasure.erased_at is not None:
            return
        row = find(erasure.what, erasure.target)
        mark = mark_of(row) if row is not None and getattr(row, "erased_at", None) is None else erasure.mark
        counts = erase(row, with_answers=erasure.with_answers, actor=erasure.owner)
        # Unless the dataset was erased meanwhile, and the text with it.
        is_there = isinstance(row, Instance) and Instance.objects.filter(pk=row.pk).exists()
        dataset = row.dataset if is_there and isinstance(row, Instance) else None
        about: dict[str, Any] = {"what": str(erasure.what), "erasure": str(erasure.pk), "counts": counts.rows}
        if isinstance(row, User):
            about |= {"person": row.pk, "with_answers": erasure.with_answers}
        events.record(EventKind.ERASED, actor=erasure.owner, dataset=dataset, **about)
        Erasure.objects.filter(pk=erasure.pk).update(
            erased_at=timezone.now(), counts=counts.rows, files=counts.files, mark=mark
        )


def erase(row: User | Instance | Study | Dataset | None, *, with_answers: bool, actor: User | None) -> Counts:
    """Erase a row with all that names it. Nothing, if it is gone already."""
    if isinstance(row, User):
        return erase_person(user=row, with_answers=with_answers, actor=actor)
    if isinstance(row, Instance):
        return erase_text(instance=row, with_answers=with_answers, actor=actor)
    if isinstance(row, Study):
        return erase_study(study=row, actor=actor)
    return Counts() if row is None else erase_dataset(dataset=row, actor=actor)


def preview(row: User | Instance | Study | Dataset, *, with_answers: bool, actor: User | None) -> Counts:
    """What would go: the erasure is done and rolled back, so that the counts are exact.

    Raises what erasing raises.
    """
    with transaction.atomic():
        counts = erase(row, with_answers=with_answers, actor=actor)
        transaction.set_rollback(True)
    return counts


def _remove_files(erasure: Erasure) -> None:
    remember(erasure)
    if erasure.files:
        Erasure.objects.filter(pk=erasure.pk).update(files=delete_files(list(erasure.files)))
