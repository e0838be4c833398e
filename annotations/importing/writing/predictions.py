"""Store predictions for a dataset: of its distributions, and of single annotations. All or nothing, once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.ground.arrays import absent_rows
from annotations.ground.fingerprints import matrix_fingerprint, prediction_fingerprint
from annotations.history import events
from annotations.history.looks import look
from annotations.importing.checking import why_not_a_distribution
from annotations.importing.memory.tables import AnswersTable, LabelSet, PredictionTable, SystemTable, Target
from annotations.importing.writing.datasets import EmptyTable, NotADistribution, OtherContent, insert_with_matrix
from annotations.importing.writing.replacing import refuse_if_used
from annotations.models import Dataset, EventKind, HumanAnnotation, PredictedAnnotations, System, Task, User
from annotations.models.datasets import BELOW, MISSING, matrix_or_error
from annotations.shown.plurals import filled, written

Stored = System | PredictedAnnotations
SINGLE = "single annotations"
Key = tuple[type[Stored], str, str, str]


@dataclass(frozen=True, slots=True)
class PredictionsWritten:
    """The systems that were written, and those already there with the same predictions."""

    dataset: Dataset
    added: tuple[str, ...]
    unchanged: tuple[str, ...]

    @property
    def changed(self) -> bool:
        return bool(self.added)


def write_predictions(
    *,
    dataset: Dataset,
    table: PredictionTable,
    is_simulated: bool = False,
    actor: User | None = None,
    files: Sequence[str] = (),
    replace: bool = False,
) -> PredictionsWritten:
    """Store the systems in a table. A system that exists with the same predictions is left alone; with `replace`, one
    with different predictions is replaced, as long as no study or analysis uses the dataset.

    Raises:
        InUse, NotAllowed: predictions would be replaced, but the dataset is in use or somebody else's.
        OtherContent: a system with that name exists with different predictions (nothing is written).
        NotADistribution: a matrix has the wrong shape or impossible values.
        EmptyTable: there are no systems.
        AnswersTheseTexts: the actor answers in a study of the dataset's texts.
    """
    rows = rows_to_store(table, target_of(dataset), is_simulated=is_simulated or dataset.is_simulated)
    with transaction.atomic():
        dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
        look(user=actor, datasets=[dataset.pk], what="import")
        same, changed = compared(rows, dataset)
        other = [name_of(row) for row in changed]
        if other and replace:
            refuse_if_used(dataset, actor)
            for row in changed:
                type(row)._default_manager.filter(
                    dataset=dataset, model=row.model, method=row.method, run=row.run
                ).delete()
            events.record(EventKind.REPLACED, actor=actor, dataset=dataset, what="predictions", systems=other)
        elif other:
            raise OtherContent(
                _(
                    "Dataset {dataset} already has different predictions of {other}. Import these under "
                    "another model, method or run. As long as no study or analysis uses the dataset, you "
                    "can also replace them (option --replace, or the box on the page). Once they are in "
                    "use, they never change, because results refer to them."
                ).format(dataset=repr(dataset.slug), other=", ".join(other)),
                systems=other,
            )
        added = [row for row in rows if row not in same]
        # One at a time: each has a matrix, and a single statement would hold all of them in memory twice.
        for row in added:
            row.dataset = dataset
            insert_with_matrix(row)
        if added:
            events.record(
                EventKind.IMPORTED,
                actor=actor,
                dataset=dataset,
                what="predictions",
                files=list(files),
                systems=[name_of(row) for row in added],
                fingerprints=[row.fingerprint for row in added],
            )
    return PredictionsWritten(dataset, added=tuple(map(name_of, added)), unchanged=tuple(map(name_of, same)))


def target_of(dataset: Dataset) -> Target:
    """What predictions for the dataset must match."""
    labels = list(dataset.labels.order_by("position"))
    exclusive = next((label.name for label in labels if label.exclusive), None)
    values = tuple(label.value for label in labels if label.value is not None)
    return Target(
        slug=dataset.slug,
        labels=LabelSet(
            names=tuple(label.name for label in labels),
            task=Task(dataset.task),
            exclusive=exclusive,
            values=values if len(values) == len(labels) else None,
        ),
        external_ids=tuple(dataset.instances.order_by("position").values_list("external_id", flat=True)),
        read_gold=lambda: matrix_or_error(dataset.gold),
        annotations_of=lambda: _annotations_of(dataset),
    )


def _annotations_of(dataset: Dataset) -> list[int]:
    """How many annotations each instance has; 0 for all if people are only counted."""
    rows = HumanAnnotation.objects.filter(instance__dataset=dataset).order_by()
    numbers = np.array(list(rows.values_list("instance__position", "count")), dtype=np.int64).reshape(-1, 2)
    if (numbers[:, 1] > 1).any():
        numbers = numbers[:0]
    counts: list[int] = np.bincount(numbers[:, 0], minlength=dataset.instances.count()).tolist()
    return counts


def _options(table: SystemTable | AnswersTable) -> dict[str, Any]:
    matrix, below = (table.Q, table.below) if isinstance(table, SystemTable) else (table.matrix, None)
    absent = int(absent_rows(matrix).sum())
    own = ({MISSING: absent} if absent else {}) | ({} if below is None else {BELOW: below.tolist()})
    return dict(table.options) | own


def missing_notes(table: PredictionTable) -> list[str]:
    """A sentence about every system that lacks instances or single annotations."""
    notes = []
    for system in table.systems:
        absent = int(absent_rows(system.Q).sum())
        if absent:
            notes.append(
                _(
                    "{system} has no predictions for {absent} of {Q} instances. They are never drawn for "
                    "it, and its scores leave them out."
                ).format(system=system.name, absent=written(absent), Q=written(len(system.Q)))
            )
    for answers in table.answers:
        absent = int(absent_rows(answers.matrix).sum())
        if absent:
            notes.append(
                _(
                    "{system} does not predict {absent} of {all} single annotations. Leaderboards leave out the "
                    "instances they belong to."
                ).format(system=answers.name, absent=written(absent), all=written(len(answers.matrix)))
            )
    return notes


def key_of(row: Stored) -> Key:
    """What distinguishes a row from others."""
    return (type(row), row.model, row.method, row.run)


def name_of(row: Stored) -> str:
    """A row's name in reports, which says if it predicts single annotations."""
    return row.name if isinstance(row, System) else f"{row.name} ({SINGLE})"


def names_in(table: PredictionTable) -> list[str]:
    """The names of a table's systems, as in `name_of`."""
    return [system.name for system in table.systems] + [f"{answers.name} ({SINGLE})" for answers in table.answers]


def stored_fingerprints(dataset: Dataset) -> dict[Key, str]:
    """The fingerprints of all predictions for the dataset."""
    return {
        (kind, model, method, run): fingerprint
        for kind, manager in ((System, dataset.systems), (PredictedAnnotations, dataset.predicted_annotations))
        for model, method, run, fingerprint in manager.values_list("model", "method", "run", "fingerprint")
    }


def compared(rows: Sequence[Stored], dataset: Dataset) -> tuple[list[Stored], list[Stored]]:
    """The rows that are stored with the same predictions, and those that are stored with different ones."""
    there = stored_fingerprints(dataset)
    known = [row for row in rows if key_of(row) in there]
    same = [row for row in known if there[key_of(row)] == row.fingerprint]
    return same, [row for row in known if there[key_of(row)] != row.fingerprint]


def rows_to_store(table: PredictionTable, target: Target, *, is_simulated: bool) -> list[Stored]:
    """The table's systems as unsaved rows, checked."""
    if not table.systems and not table.answers:
        raise EmptyTable(_("There are no systems to import."))
    for system in table.systems:
        if system.Q.shape != target.shape:
            message = _("{system}: the matrix is {shape}, the dataset {wanted}.")
            raise NotADistribution(filled(message, system=system.name, shape=system.Q.shape, wanted=target.shape))
        absent = absent_rows(system.Q)
        if absent.all():
            raise NotADistribution(
                filled(
                    _("{system} predicts nothing for any instance. Provide its predictions for at least one."),
                    system=system.name,
                )
            )
        if why := why_not_a_distribution(system.Q, target.labels, absent):
            message = _("{system}: these are not judgement distributions: {why}.")
            raise NotADistribution(filled(message, system=system.name, why=why))
    shape = (sum(target.annotations_of()), len(target.labels)) if table.answers else ()
    for answers in table.answers:
        if answers.matrix.shape != shape:
            message = _("{system}: the matrix is {shape}, expected {wanted}.")
            raise NotADistribution(filled(message, system=answers.name, shape=answers.matrix.shape, wanted=shape))
        absent = absent_rows(answers.matrix)
        if absent.all():
            message = _("{system} predicts nothing for any annotation. Provide its predictions for at least one.")
            raise NotADistribution(filled(message, system=answers.name))
        votes = answers.matrix[~absent]
        totals = votes.sum(axis=1)
        if not np.isin(votes, (0, 1)).all() or (target.labels.task != Task.MULTILABEL and (totals != 1).any()):
            message = _("{system}: an annotation names labels by 0 and 1, one unless multilabel.")
            raise NotADistribution(filled(message, system=answers.name))
    now = timezone.now()

    def common(table: SystemTable | AnswersTable) -> dict[str, Any]:
        named = {"model": table.model, "method": table.method, "run": table.run}
        return named | {"options": _options(table), "is_simulated": is_simulated, "created_at": now}

    return [
        *(
            System(predictions=one.Q, fingerprint=prediction_fingerprint(one.Q, one.below), **common(one))
            for one in table.systems
        ),
        *(
            PredictedAnnotations(answers=answer.matrix, fingerprint=matrix_fingerprint(answer.matrix), **common(answer))
            for answer in table.answers
        ),
    ]
