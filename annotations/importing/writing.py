"""The one writer: a table in memory becomes rows, all or nothing, once.

The same content again changes nothing and says so; other content under the same name is refused, because
studies and results refer to what is there.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotations import events
from annotations.errors import Conflict, HLVError
from annotations.importing.checks import matrix_fingerprint, why_not_a_distribution
from annotations.importing.inserting import insert_rows
from annotations.importing.memory import (
    Annotations,
    DatasetTable,
    FloatMatrix,
    InstanceRow,
    LabelSet,
    PredictionTable,
    Target,
)
from annotations.models import Dataset, EventKind, HumanAnnotation, Instance, Label, System, Task, User
from annotations.models.datasets import matrix_or_error


class OtherContent(Conflict):
    """The name is taken by something with other content."""

    code = "other_content"


class NotADistribution(HLVError):  # noqa: N818
    """A matrix that holds something else than judgement distributions."""

    code = "not_a_distribution"


class BadDescription(HLVError):  # noqa: N818
    """A slug, title or other description that cannot be stored."""

    code = "bad_description"


class EmptyTable(HLVError):  # noqa: N818
    """There is nothing in the table."""

    code = "empty_table"


@dataclass(frozen=True, slots=True)
class DatasetWritten:
    """The dataset, and whether anything was written (False: it was there already, the same)."""

    dataset: Dataset
    changed: bool


@dataclass(frozen=True, slots=True)
class PredictionsWritten:
    """The systems that were written, and those that were there already with the same predictions."""

    dataset: Dataset
    added: tuple[str, ...]
    unchanged: tuple[str, ...]

    @property
    def changed(self) -> bool:
        return bool(self.added)


def write_dataset(
    *,
    table: DatasetTable,
    slug: str,
    title: str,
    description: str = "",
    source: str = "",
    licence: str = "",
    is_simulated: bool = False,
    actor: User | None = None,
    files: Sequence[str] = (),
) -> DatasetWritten:
    """Store a dataset under its slug.

    Raises:
        BadDescription: the slug is none, or something is too long.
        OtherContent: another dataset has that slug.
        NotADistribution: P has a value outside [0, 1], or a row that must sum to 1 and does not, or an
            instance that nobody judged.
        EmptyTable: there is no instance or no label.
    """
    P = distributions_to_store(table)
    fingerprint = dataset_fingerprint(table)
    new = Dataset(
        slug=slug,
        title=title or slug,
        description=description,
        source=source,
        licence=licence,
        task=table.labels.task,
        gold=P,
        fingerprint=fingerprint,
        is_simulated=is_simulated,
        created_by=actor,
    )
    _check_description(new)
    try:
        with transaction.atomic():
            existing = Dataset.objects.select_for_update().filter(slug=slug).first()
            if existing is None:
                new.save(force_insert=True)
                _write_labels(new, table.labels)
                _write_instances(new, table)
                if table.annotations is not None:
                    _write_annotations(new, table.annotations)
                events.record(
                    EventKind.IMPORTED,
                    actor=actor,
                    dataset=new,
                    what="dataset",
                    files=list(files),
                    instances=len(table.instances),
                    labels=len(table.labels),
                    annotations=0 if table.annotations is None else len(table.annotations),
                    fingerprint=fingerprint,
                )
                return DatasetWritten(new, changed=True)
    except IntegrityError:
        # Somebody else took the slug between our look and our insert; any other reason is a mistake of ours.
        existing = Dataset.objects.filter(slug=slug).first()
        if existing is None:
            raise
    if existing.fingerprint != fingerprint:
        raise OtherContent(
            f"There is already a dataset {slug!r} with other content. Choose another slug; a dataset never changes "
            "once imported, because studies and results refer to it.",
            slug=slug,
        )
    return DatasetWritten(existing, changed=False)


def _check_description(dataset: Dataset) -> None:
    try:
        # SQLite would store a title of any length.
        dataset.clean_fields(exclude=["gold", "fingerprint", "created_by"])
    except ValidationError as error:
        found = "; ".join(f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
        raise BadDescription(f"The dataset cannot be described so. {found}", **error.message_dict) from None


def distributions_to_store(table: DatasetTable) -> FloatMatrix:
    """P of the table, checked."""
    if not len(table.instances) or not len(table.labels):
        raise EmptyTable("There is no instance or no label to import.")
    P = table.distributions()
    if why := why_not_a_distribution(P, table.labels):
        raise NotADistribution(f"These are no judgement distributions: {why}.")
    return P


def dataset_fingerprint(table: DatasetTable) -> str:
    """SHA-256 over all that is stored of a dataset: task, labels, instances with their texts, judgements."""
    labels = table.labels
    digest = hashlib.sha256()
    head = [str(labels.task), labels.names, labels.exclusive, labels.values]
    # Columns, not rows: each is one call of the fast encoder.
    columns = [list(map(itemgetter(place), table.instances)) for place in range(len(InstanceRow._fields))]
    digest.update(json.dumps([head, columns]).encode())
    if table.annotations is not None:
        digest.update(json.dumps(table.annotations.annotators).encode())
        for column, kind in _annotation_columns(table.annotations):
            digest.update(column.astype(kind, copy=False).tobytes())
    if table.gold is not None:
        digest.update(matrix_fingerprint(table.gold).encode())
    return digest.hexdigest()


def _annotation_columns(annotations: Annotations) -> list[tuple[np.ndarray, str]]:
    return [
        (annotations.instance, "<i4"),
        (annotations.annotator, "<i4"),
        (annotations.count, "<i4"),
        (annotations.offsets, "<i8"),
        (annotations.labels, "<i4"),
    ]


def _write_labels(dataset: Dataset, labels: LabelSet) -> None:
    Label.objects.bulk_create(
        Label(
            dataset=dataset,
            position=position,
            name=name,
            exclusive=name == labels.exclusive,
            value=None if labels.values is None else labels.values[position],
        )
        for position, name in enumerate(labels.names)
    )


def _write_instances(dataset: Dataset, table: DatasetTable) -> None:
    key = dataset.pk
    insert_rows(
        Instance,
        ["dataset", "position", "external_id", "segments", "language", "direction"],
        (
            (
                key,
                position,
                external_id,
                json.dumps([segment._asdict() for segment in segments]) if segments else "[]",
                language,
                direction,
            )
            for position, (external_id, segments, language, direction) in enumerate(table.instances)
        ),
    )


def _write_annotations(dataset: Dataset, annotations: Annotations) -> None:
    ids = list(dataset.instances.order_by("position").values_list("pk", flat=True))
    insert_rows(
        HumanAnnotation, ["instance", "position", "annotator", "labels", "count"], _annotation_rows(annotations, ids)
    )


def _annotation_rows(annotations: Annotations, ids: list[int]) -> Iterator[tuple[Any, ...]]:
    # The place among the instance's annotations: distance from the instance's first one.
    first = np.searchsorted(annotations.instance, annotations.instance, side="left")
    positions = (np.arange(len(annotations)) - first).tolist()
    names = [*annotations.annotators, ""]  # place -1 is the last: nobody knows
    labels, offsets = annotations.labels.tolist(), annotations.offsets.tolist()
    columns = zip(
        annotations.instance.tolist(),
        positions,
        annotations.annotator.tolist(),
        annotations.count.tolist(),
        strict=True,
    )
    for number, (instance, position, annotator, count) in enumerate(columns):
        chosen = labels[offsets[number] : offsets[number + 1]]
        yield ids[instance], position, names[annotator], str(chosen), count


def write_predictions(
    *,
    dataset: Dataset,
    table: PredictionTable,
    is_simulated: bool = False,
    actor: User | None = None,
    files: Sequence[str] = (),
) -> PredictionsWritten:
    """Store the systems of a table. One that exists with the same predictions is left alone.

    Raises:
        OtherContent: a system of that name exists with other predictions (none of the table is written).
        NotADistribution: a matrix of the wrong shape or with values that cannot be.
        EmptyTable: there is no system.
    """
    target = target_of(dataset)
    rows = systems_to_store(table, target, is_simulated=is_simulated or dataset.is_simulated)
    with transaction.atomic():
        dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
        there = {
            (model, method, run): fingerprint
            for model, method, run, fingerprint in dataset.systems.values_list("model", "method", "run", "fingerprint")
        }
        known = [system for system in rows if (system.model, system.method, system.run) in there]
        other = [s.name for s in known if there[s.model, s.method, s.run] != s.fingerprint]
        if other:
            raise OtherContent(
                f"Dataset {dataset.slug!r} already has other predictions of {', '.join(other)}. Import these under "
                "another model, method or run; predictions never change once imported, because results refer to them.",
                systems=other,
            )
        added = [s for s in rows if (s.model, s.method, s.run) not in there]
        if added:
            _insert_systems(dataset, added)
            events.record(
                EventKind.IMPORTED,
                actor=actor,
                dataset=dataset,
                what="predictions",
                files=list(files),
                systems=[system.name for system in added],
                fingerprints=[system.fingerprint for system in added],
            )
    return PredictionsWritten(
        dataset, added=tuple(s.name for s in added), unchanged=tuple(system.name for system in known)
    )


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
        gold=matrix_or_error(dataset.gold),
    )


def systems_to_store(table: PredictionTable, target: Target, *, is_simulated: bool) -> list[System]:
    """The table's systems as unsaved rows, checked."""
    if not table.systems:
        raise EmptyTable("There is no system to import.")
    for system in table.systems:
        if system.Q.shape != target.shape:
            raise NotADistribution(f"{system.name}: the matrix is {system.Q.shape}, the dataset {target.shape}.")
        if why := why_not_a_distribution(system.Q, target.labels):
            raise NotADistribution(f"{system.name}: these are no judgement distributions: {why}.")
    return [
        System(
            model=system.model,
            method=system.method,
            run=system.run,
            predictions=system.Q,
            fingerprint=matrix_fingerprint(system.Q),
            options=dict(system.options),
            is_simulated=is_simulated,
            created_at=timezone.now(),
        )
        for system in table.systems
    ]


def _insert_systems(dataset: Dataset, systems: list[System]) -> None:
    for system in systems:
        system.dataset = dataset
    # One at a time: each holds a matrix, and one statement with all of them would hold them all twice.
    for system in systems:
        system.save(force_insert=True)
