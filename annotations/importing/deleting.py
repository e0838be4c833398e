"""Delete datasets, predictions and whole imports, as long as no study uses them.

What was computed from them is deleted too, by receivers of the signals `dataset_goes` and `predictions_go`, which are
sent inside the transaction (metaeval/apps.py). The event log records what there was.
"""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict, NotAllowed, NotFound
from annotations.history import events
from annotations.importing.memory.problems import listed
from annotations.importing.writing.predictions import name_of
from annotations.importing.writing.replacing import InUse
from annotations.models import (
    AveragedRun,
    Comparison,
    Dataset,
    EventKind,
    ImportJob,
    JobState,
    PredictedAnnotations,
    Study,
    System,
    User,
)
from annotations.shown.plurals import filled, with_and

dataset_goes = Signal()
"""Sent with `dataset`, before it is deleted."""

predictions_go = Signal()
"""Sent with `dataset`, before predictions for it are deleted."""


class CannotBeUndone(Conflict):
    """The import changed nothing, was already undone, or what it stored is gone."""


@transaction.atomic
def delete_dataset(*, dataset: Dataset, actor: User) -> None:
    """Delete a dataset with its predictions and analyses.

    Raises:
        NotAllowed: somebody else imported it.
        InUse: studies use it; `data["studies"]` names those that the actor may see.
    """
    dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
    _refuse_others(dataset, actor)
    _refuse_used(
        Study.objects.filter(dataset=dataset),
        actor,
        _("The dataset {what} is used by {count, plural, one {# study} other {# studies}}: {studies}."),
        _("The dataset {what} is used by {count, plural, one {# study} other {# studies}} that you may not see."),
        what=repr(dataset.slug),
    )
    systems = [system.name for system in dataset.systems.all()]
    dataset_goes.send(sender=Dataset, dataset=dataset)
    events.record(
        EventKind.DELETED,
        actor=actor,
        dataset=dataset,
        what="dataset",
        title=dataset.title,
        systems=systems,
        fingerprint=dataset.fingerprint,
    )
    dataset.delete()


@transaction.atomic
def delete_predictions(*, dataset: Dataset, name: str, actor: User) -> None:
    """Delete the predictions of the system with that name, and the dataset's analyses.

    Raises:
        NotAllowed: somebody else imported the dataset.
        NotFound: there is no such system.
        InUse: studies compare it.
    """
    dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
    _refuse_others(dataset, actor)
    rows = [row for row in _predictions(dataset) if row.name == name]
    if not rows:
        raise NotFound
    _delete_rows(dataset, rows, actor)


@transaction.atomic
def undo_import(*, job: ImportJob, actor: User) -> ImportJob:
    """Delete what an import stored.

    Raises:
        NotAllowed: somebody else imported the dataset.
        CannotBeUndone: it stored nothing, was already undone, or what it stored is gone.
        InUse: a study uses what it stored.
    """
    job = ImportJob.objects.select_for_update().get(pk=job.pk)
    if job.undone_at is not None:
        raise CannotBeUndone(_("This import has already been undone."))
    if job.state != JobState.SUCCEEDED or job.dry_run or not (job.report or {}).get("changed"):
        raise CannotBeUndone(_("This import saved nothing, so there is nothing to undo."))
    dataset = Dataset.objects.filter(slug=job.dataset_slug).first()
    if dataset is None:
        raise _gone()
    report: dict[str, Any] = job.report or {}
    if job.kind == ImportJob.Kind.DATASET:
        if dataset.fingerprint != report["fingerprint"] or not _made_by(job, dataset):
            raise _gone()
        delete_dataset(dataset=dataset, actor=actor)
    else:
        dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
        _refuse_others(dataset, actor)
        made = set(report["systems"]) - set(report["unchanged"])
        rows = [row for row in _predictions(dataset) if name_of(row) in made and _made_by(job, row)]
        if not rows:
            raise _gone()
        _delete_rows(dataset, rows, actor)
    job.undone_at = timezone.now()
    job.save(update_fields=["undone_at"])
    return job


def _gone() -> CannotBeUndone:
    return CannotBeUndone(_("The data from this import no longer exist, so there is nothing to undo."))


def _made_by(job: ImportJob, row: Any) -> bool:
    """Whether the row was stored by this job, not by a later one under the same name."""
    started, finished = job.started_at or job.created_at, job.finished_at
    return bool(started <= row.created_at and (finished is None or row.created_at <= finished))


def _predictions(dataset: Dataset) -> Iterable[System | PredictedAnnotations]:
    return [*dataset.systems.all(), *dataset.predicted_annotations.all()]


def _delete_rows(dataset: Dataset, rows: Iterable[System | PredictedAnnotations], actor: User) -> None:
    systems = [row for row in rows if isinstance(row, System)]
    comparisons = Comparison.objects.filter(Q(first_system__in=systems) | Q(second_system__in=systems))
    means = AveragedRun.objects.filter(run__in=systems).values("mean__averaged_for")
    used = Study.objects.filter(Q(pk__in=comparisons.values("study")) | Q(pk__in=means))
    names = sorted({row.name for row in rows})
    _refuse_used(
        used,
        actor,
        _("The predictions of {what} are used by {count, plural, one {# study} other {# studies}}: {studies}."),
        _(
            "The predictions of {what} are used by {count, plural, one {# study} other {# studies}} that you may not "
            "see."
        ),
        what=listed(names),
    )
    predictions_go.send(sender=Dataset, dataset=dataset)
    events.record(EventKind.DELETED, actor=actor, dataset=dataset, what="predictions", systems=names)
    for row in rows:
        row.delete()


def _refuse_others(dataset: Dataset, actor: User) -> None:
    if not actor.is_superuser and dataset.created_by_id != actor.pk:
        raise NotAllowed(
            _("Only the person who imported the dataset {dataset} can delete it or its predictions.").format(
                dataset=repr(dataset.slug)
            )
        )


def _refuse_used(studies: Any, actor: User, naming: str, counting: str, *, what: str) -> None:
    """Name the studies that the actor may see, and only count the others (`counting`: if there are only others)."""
    count = studies.count()
    if not count:
        return
    visible = sorted(studies.filter(pk__in=Study.objects.visible_to(actor).values("pk")).values_list("slug", flat=True))
    named = [listed(visible)]
    if count > len(visible):
        named.append(filled(_("{number} that you may not see"), number=count - len(visible)))
    used = filled(naming if visible else counting, what=what, count=count, studies=with_and(named))
    raise InUse(" ".join((used, _("Anything a study uses cannot be deleted."))), studies=visible, count=count)
