"""The writer: a table in memory becomes rows, all or nothing, once.

Importing the same content again changes nothing and says so; different content under the same name is refused, because
studies and results refer to what is there.
"""

import gc
import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, models, transaction
from django.utils.translation import gettext as _

from annotations.ground.arrays import Matrix
from annotations.ground.errors import Conflict, HLVError
from annotations.ground.fingerprints import matrix_fingerprint, text_digest
from annotations.history import events
from annotations.history.looks import look, text_set_of
from annotations.importing.checking import parts_of_shares, why_not_a_distribution
from annotations.importing.memory.tables import AnnotationTable, DatasetTable, InstanceRow, LabelSet, PairwiseVotes
from annotations.importing.writing.replacing import remove_unused
from annotations.models import (
    Annotator,
    Dataset,
    EventKind,
    HumanAnnotation,
    Instance,
    Judge,
    Label,
    Outcome,
    PairwiseVote,
    User,
)
from annotations.storing.search_terms import search_words

if TYPE_CHECKING:
    from hashlib import _Hash

ROWS_A_STATEMENT = 500  # SQLite takes 32,766 parameters; beyond a few hundred rows nothing is gained


class OtherContent(Conflict):
    """The name is already taken by something with different content."""


class NotADistribution(HLVError):
    """A matrix that does not contain judgement distributions."""


class BadDescription(HLVError):
    """A slug, title or other description that cannot be stored."""


class EmptyTable(HLVError):
    """The table is empty."""


class AboutDataset(TypedDict, total=False):
    """What a dataset is called and where it comes from; without a title it is called by its slug."""

    title: str
    description: str
    source: str
    licence: str
    is_simulated: bool


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
    actor: User | None = None,
    files: Sequence[str] = (),
    replace: bool = False,
    **about: Unpack[AboutDataset],
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
        **about | {"title": about.get("title") or slug},
        task=table.labels.task,
        gold=P,
        fingerprint=fingerprint,
        renamed_labels=dict(table.renaming),
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
        flaws = "; ".join(f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
        raise BadDescription(
            _("This description of the dataset is not valid. {found}").format(found=flaws), **error.message_dict
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
    described = [place for place, name in enumerate(InstanceRow._fields) if name != "split"]
    columns = [list(map(itemgetter(place), table.instances)) for place in described]
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
        about = {code: dict(facts) for code, facts in table.about.items()}
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


def write_votes(dataset: Dataset, votes: PairwiseVotes) -> None:
    """Store the judges and votes of a dataset whose instances are stored. To be called within the import's
    transaction.
    """
    Judge.objects.bulk_create(
        Judge(dataset=dataset, code=judge.code, is_machine=judge.is_machine) for judge in votes.judges
    )
    judges = dict(dataset.judges.values_list("code", "pk"))
    keys = [judges[judge.code] for judge in votes.judges]
    instances = list(dataset.instances.order_by("position").values_list("pk", flat=True))
    names, outcomes = votes.systems, Outcome.values
    columns = zip(
        votes.instance.tolist(),
        votes.judge.tolist(),
        votes.first.tolist(),
        votes.second.tolist(),
        votes.outcome.tolist(),
        [None if math.isnan(certainty) else certainty for certainty in votes.certainty.tolist()],
        strict=True,
    )
    insert_rows(
        PairwiseVote,
        ["dataset", "position", "instance", "judge", "first", "second", "outcome", "certainty"],
        (
            (dataset.pk, position, instances[i], keys[j], names[first], names[second], outcomes[outcome], certainty)
            for position, (i, j, first, second, outcome, certainty) in enumerate(columns)
        ),
    )


def add_votes_to_digest(digest: "_Hash", votes: PairwiseVotes) -> None:
    """Add everything stored of votes to a dataset's fingerprint."""
    digest.update(json.dumps([votes.judges, votes.systems, Outcome.values]).encode())
    for column in (votes.instance, votes.judge, votes.first, votes.second, votes.outcome):
        digest.update(column.astype("<i4", copy=False).tobytes())
    digest.update(np.where(np.isnan(votes.certainty), -1.0, votes.certainty).astype("<f8").tobytes())


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of plain values (JSON as text) for these fields; the table itself supplies what is not named, the
    keys.
    """
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    fields = {field.name: field.column or field.name for field in model._meta.concrete_fields}
    names = ", ".join(quote(fields[column]) for column in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        places = f"({', '.join(['?'] * len(columns))})"
        # The driver's own cursor, because Django's would search every statement's thousands of placeholders for its
        # own.
        with closing(connection.connection.cursor()) as plain, _without_garbage_collection():
            for part in _parts(rows):
                values = ", ".join([places] * len(part))
                # Safe: the names of tables and columns come from the models, and values go as parameters.
                plain.execute(f"INSERT INTO {table} ({names}) VALUES {values}", list(chain.from_iterable(part)))  # noqa: S608


def insert_with_matrix(row: models.Model) -> None:
    """Save a new row that has a matrix, which goes to PostgreSQL as the bytes it is.

    Django's cursors put values into the statement, where bytes are hexadecimal text: five copies of a matrix.
    """
    if connection.vendor != "postgresql":
        row.save(force_insert=True)
        return
    from django.db.backends.postgresql.base import ServerBindingCursor

    connection.ensure_connection()
    driver = connection.connection
    before, driver.cursor_factory = driver.cursor_factory, ServerBindingCursor
    try:
        row.save(force_insert=True)
    finally:
        driver.cursor_factory = before


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Many small rows would make the collector scan the whole heap repeatedly and find nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _parts(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    remaining = iter(rows)
    while part := list(islice(remaining, ROWS_A_STATEMENT)):
        yield part
