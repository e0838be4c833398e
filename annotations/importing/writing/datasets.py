"""The writer: a table in memory becomes rows, all or nothing, once.

Importing the same content again changes nothing and says so; different content under the same name is refused, because
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
from django.utils.translation import gettext as _

from annotations.ground.arrays import Matrix
from annotations.ground.errors import Conflict, HLVError
from annotations.ground.fingerprints import matrix_fingerprint, text_digest
from annotations.history import events
from annotations.history.looks import look, text_set_of
from annotations.importing.checking.grids import parts_of_shares
from annotations.importing.checking.matrices import why_not_a_distribution
from annotations.importing.memory.tables import AnnotationTable, DatasetTable, InstanceRow, LabelSet
from annotations.importing.writing.inserting import insert_rows, insert_with_matrix
from annotations.importing.writing.replacing import remove_unused
from annotations.importing.writing.votes import add_votes_to_digest, write_votes
from annotations.models import Annotator, Dataset, EventKind, HumanAnnotation, Instance, Label, User
from annotations.storing.search_terms import search_words


class OtherContent(Conflict):
    """The name is already taken by something with different content."""

    code = "other_content"


class NotADistribution(HLVError):
    """A matrix that does not contain judgement distributions."""

    code = "not_a_distribution"


class BadDescription(HLVError):
    """A slug, title or other description that cannot be stored."""

    code = "bad_description"


class EmptyTable(HLVError):
    """The table is empty."""

    code = "empty_table"


@dataclass(frozen=True, slots=True)
class DatasetWritten:
    """The dataset, and whether anything was written (False: the same was already there).

    `replaced`: the systems deleted with the dataset that it replaces; None if it replaces none.
    """

    dataset: Dataset
    changed: bool
    replaced: tuple[str, ...] | None = None


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
    replace: bool = False,
) -> DatasetWritten:
    """Store a dataset under its slug; with `replace`, instead of one that no study or analysis uses.

    Raises:
        BadDescription: the slug is invalid, or something is too long.
        OtherContent: another dataset has that slug.
        InUse, NotAllowed: the dataset to be replaced is in use, or is somebody else's.
        NotADistribution: P has a value outside [0, 1], a row that should sum to 1 but does not, or an
            instance that nobody judged.
        EmptyTable: there are no instances, or neither labels nor votes.
        AnswersTheseTexts: the actor answers in a study of these texts.
    """
    P = distributions_to_store(table)
    fingerprint = dataset_fingerprint(table)
    digests = [text_digest(segment.text for segment in row.segments) for row in table.instances]
    new = Dataset(
        slug=slug,
        title=title or slug,
        description=description,
        source=source,
        licence=licence,
        task=table.labels.task,
        gold=P,
        fingerprint=fingerprint,
        renamed_labels=dict(table.renaming),
        is_simulated=is_simulated,
        created_by=actor,
    )
    _check_description(new)
    try:
        with transaction.atomic():
            existing = Dataset.objects.select_for_update().filter(slug=slug).first()
            replaced, before = None, ""
            if existing is not None and replace and existing.fingerprint != fingerprint:
                replaced, before = tuple(remove_unused(existing, actor)), existing.fingerprint
                existing = None
            if existing is None:
                new.text_set = text_set_of(digests, fingerprint=fingerprint)
                insert_with_matrix(new)
                look(user=actor, datasets=[new.pk], what="import")
                _write_labels(new, table.labels)
                _write_instances(new, table, digests)
                if table.annotations is not None:
                    _write_annotations(new, table.annotations)
                if table.votes is not None:
                    write_votes(new, table.votes)
                Annotator.objects.bulk_create(
                    Annotator(dataset=new, code=code, about=dict(about)) for code, about in table.about.items()
                )
                events.record(
                    EventKind.IMPORTED,
                    actor=actor,
                    dataset=new,
                    what="dataset",
                    files=list(files),
                    instances=len(table.instances),
                    labels=len(table.labels),
                    annotations=0 if table.annotations is None else len(table.annotations),
                    votes=0 if table.votes is None else len(table.votes),
                    fingerprint=fingerprint,
                    **({"renamed_labels": table.renaming["labels"]} if table.renaming else {}),
                )
                if replaced is not None:
                    events.record(
                        EventKind.REPLACED,
                        actor=actor,
                        dataset=new,
                        what="dataset",
                        before=before,
                        systems=list(replaced),
                    )
                return DatasetWritten(new, changed=True, replaced=replaced)
    except IntegrityError:
        # Somebody else took the slug between our check and our insert; any other reason is our mistake.
        existing = Dataset.objects.filter(slug=slug).first()
        if existing is None:
            raise
    if existing.fingerprint != fingerprint:
        raise OtherContent(
            _(
                "There is already a dataset {slug} with different content. Choose another short "
                "name. As long as no study or analysis uses the existing dataset, you can also "
                "replace it (option --replace, or the box on the page). Once it is in use, it never "
                "changes, because studies and results refer to it."
            ).format(slug=repr(slug)),
            slug=slug,
        )
    return DatasetWritten(existing, changed=False)


def _check_description(dataset: Dataset) -> None:
    try:
        # SQLite would store a title of any length.
        dataset.clean_fields(exclude=["gold", "fingerprint", "created_by"])
    except ValidationError as error:
        found = "; ".join(f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
        raise BadDescription(
            _("This description of the dataset is not valid. {found}").format(found=found), **error.message_dict
        ) from None


def distributions_to_store(table: DatasetTable) -> Matrix:
    """The table's P, checked."""
    if not len(table.instances) or not (len(table.labels) or table.votes):
        raise EmptyTable(_("There is nothing to import: the data contain no instances, or neither labels nor votes."))
    P = table.distributions()
    if table.votes is not None:
        return P
    if why := why_not_a_distribution(P, table.labels):
        raise NotADistribution(_("These are not judgement distributions: {why}.").format(why=why))
    return P


def dataset_fingerprint(table: DatasetTable) -> str:
    """SHA-256 over everything stored of a dataset: task, labels, instances with their texts, judgements."""
    labels = table.labels
    digest = hashlib.sha256()
    head = [str(labels.task), labels.names, labels.exclusive, labels.values]
    # Columns, not rows, so that each takes one call of the fast encoder. Without the split: what was imported before
    # splits were stored must be recognised when the same files are imported again, and nothing computed from P, Q or
    # the texts depends on it. A training states its split with a fingerprint of its own.
    told = [place for place, name in enumerate(InstanceRow._fields) if name != "split"]
    columns = [list(map(itemgetter(place), table.instances)) for place in told]
    digest.update(json.dumps([head, columns]).encode())
    if table.annotations is not None:
        digest.update(json.dumps(table.annotations.annotators).encode())
        for column, kind in _annotation_columns(table.annotations):
            digest.update(column.astype(kind, copy=False).tobytes())
    if table.gold is not None:
        digest.update(matrix_fingerprint(table.gold).encode())
    if table.votes is not None:
        add_votes_to_digest(digest, table.votes)
    if table.about:
        about = {code: dict(known) for code, known in table.about.items()}
        digest.update(json.dumps(about, sort_keys=True).encode())
    if table.renaming:
        digest.update(json.dumps(table.renaming, sort_keys=True).encode())
    return digest.hexdigest()


def _annotation_columns(annotations: AnnotationTable) -> list[tuple[np.ndarray, str]]:
    return [
        (annotations.instance, "<i4"),
        (annotations.annotator, "<i4"),
        (annotations.count, "<i4"),
        (annotations.offsets, "<i8"),
        (annotations.labels, "<i4"),
    ]


def _write_labels(dataset: Dataset, labels: LabelSet) -> None:
    found_by = dict(labels.search_words)
    Label.objects.bulk_create(
        Label(
            dataset=dataset,
            position=position,
            name=name,
            exclusive=name == labels.exclusive,
            value=None if labels.values is None else labels.values[position],
            search_words=search_words(found_by.get(name, ())),
        )
        for position, name in enumerate(labels.names)
    )


def _write_instances(dataset: Dataset, table: DatasetTable, digests: Sequence[int | None]) -> None:
    key = dataset.pk
    if table.annotations is None:
        parts = parts_of_shares(table.distributions())
    else:
        parts = table.annotations.people(instances=len(table.instances)).astype(np.int64)
    insert_rows(
        Instance,
        ["dataset", "position", "external_id", "segments", "language", "direction", "parts", "split", "text_digest"],
        (
            (
                key,
                position,
                external_id,
                json.dumps([segment._asdict() for segment in segments]) if segments else "[]",
                language,
                direction,
                part,
                split,
                digest,
            )
            for position, ((external_id, segments, language, direction, split), part, digest) in enumerate(
                zip(table.instances, parts.tolist(), digests, strict=True)
            )
        ),
    )


def _write_annotations(dataset: Dataset, annotations: AnnotationTable) -> None:
    ids = list(dataset.instances.order_by("position").values_list("pk", flat=True))
    insert_rows(
        HumanAnnotation, ["instance", "position", "annotator", "labels", "count"], _annotation_rows(annotations, ids)
    )


def _annotation_rows(annotations: AnnotationTable, ids: list[int]) -> Iterator[tuple[Any, ...]]:
    # The position among the instance's annotations: the distance from its first one.
    first = np.searchsorted(annotations.instance, annotations.instance, side="left")
    positions = (np.arange(len(annotations)) - first).tolist()
    names = [*annotations.annotators, ""]  # index -1 is the last: unknown
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
