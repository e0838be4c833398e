"""A trainer of somebody's own: targets of a dataset as files, and what it then predicts, each row checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.db import transaction

from annotations.ground.arrays import Codes, Mask, Matrix
from annotations.ground.errors import Conflict
from annotations.ground.progress import Progress, silent
from annotations.ground.system_names import system_name
from annotations.importing.checking import outside_unit_interval, rows_not_summing_to_one
from annotations.importing.memory.limits import SYSTEM_PART_LENGTH
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import PredictionTable
from annotations.importing.reading.files import SourceFile
from annotations.importing.reading.tabular.opening import open_sheet
from annotations.importing.reading.tabular.rows import check_names
from annotations.importing.reading.tabular.sheets import Sheet
from annotations.importing.writing.predictions import PredictionsWritten, missing_notes, write_predictions
from annotations.models import Dataset, User
from metaeval.training.corpus import Corpus
from metaeval.training.handover import (
    PREDICTIONS,
    Handover,
    Origins,
    read_handover,
    read_split,
    read_statement,
    write_handover,
)
from metaeval.training.registry import methods
from metaeval.training.splits import Split, SplitKind, SplitPart, split_of
from metaeval.training_jobs.courses import corpus_of
from metaeval.training_jobs.systems import PredictedFold, logits_of, trained_table


def make_targets(
    dataset: Dataset,
    folder: Path,
    *,
    method: str,
    kind: SplitKind | None = None,
    folds: int = 10,
    seed: int = 0,
    stratify: bool = False,
    progress: Progress = silent,
) -> Split:
    """Write what a method learns from into a new folder (metaeval/training/handover); return the split.

    Raises:
        UnknownName: there is no such method.
        CannotSplit, DoesNotApply: the dataset cannot be split so, or not be learnt from with this method.
        NotHandedOver: the folder cannot be written.
    """
    entry = methods.get(method)
    corpus = corpus_of(dataset)
    split = split_of(corpus, kind, folds=folds, seed=seed, stratify=stratify)
    origins = Origins(dataset.slug, dataset.title, dataset.task, dataset.fingerprint)
    write_handover(folder, corpus=corpus, split=split, method=entry, dataset=origins, progress=progress)
    return split


FOLD, INSTANCE, HEAD, MODEL, RUN = "fold", "instance", "head", "model", "run"
INDEX_OF_PANDAS = "__index_level_"
"""How columns begin that pandas adds to a table whose rows are no longer numbered from 0."""
Key = tuple[str, str]
"""Model and run."""


def read_predictions(
    file: SourceFile,
    *,
    handover: Handover,
    split: Split,
    corpus: Corpus,
    model: str,
    problems: Problems,
    progress: Progress = silent,
) -> dict[Key, list[PredictedFold]]:
    """By model and run, what each fold predicts for its whole test part with each of its output layers.

    Raises:
        ImportRefused: the table cannot be read, or a row is missing, double, about something else, or impossible.
    """
    if not file.path.is_file():
        problems.stop(file.name, "there is no such file", remedy="Add the predictions to the folder of the targets.")
    numbers = {FOLD, *handover.columns}
    sheet = open_sheet(file, problems=problems, progress=progress, numbers=lambda columns: numbers & set(columns))
    _check_columns(sheet, handover, model)
    systems, names = _systems(sheet, model)
    fold = _folds(sheet, len(split))
    instance = _instances(sheet, fold, split)
    head = _heads(sheet, fold, handover)
    q = _probabilities(sheet, handover, corpus)
    problems.stop_if_any()
    slots = _Slots.of(split, handover)
    slot = slots.number(fold, instance, head)
    _check_complete(sheet, slots, names, systems=systems, slot=slot)
    problems.stop_if_any()
    by_system = {}
    for number, name in enumerate(names):
        mine = np.flatnonzero(systems == number)
        whole = np.empty((slots.total, q.shape[1]))
        whole[slot[mine]] = logits_of(q[mine], corpus.judgements.task)
        by_system[name] = slots.folds(whole, split, handover)
    return by_system


def _check_columns(sheet: Sheet, handover: Handover, model: str) -> None:
    required = [RUN, FOLD, INSTANCE, *([HEAD] if handover.predicts_from_all else []), *handover.columns]
    lacking = [column for column in required if column not in sheet]
    if lacking:
        sheet.problems.stop(
            sheet.file.name,
            f"there is no column {listed(lacking)}",
            value=", ".join(sheet.columns[:8]),
            remedy="Write the columns that targets.json lists under 'predictions'.",
        )
    foreign = [
        column
        for column in sheet.columns
        if column not in {*required, MODEL, HEAD} and not column.startswith(INDEX_OF_PANDAS)
    ]
    if foreign:
        sheet.problems.stop(
            sheet.file.name, "the column is unknown", field=foreign[0], remedy="Remove it, or correct its name."
        )
    if (MODEL in sheet) == bool(model):
        phrase = "twice what the model is called" if model else "nowhere what the model is called"
        sheet.problems.stop(
            sheet.file.name,
            f"it is said {phrase}",
            field=MODEL,
            remedy="Either add a column 'model', or name the model in the import (--model).",
        )


def _systems(sheet: Sheet, model: str) -> tuple[Codes, list[Key]]:
    """The number of each row's system, and the systems' names."""
    run = sheet.texts(RUN)
    check_names(sheet, RUN, run, "the run's name", SYSTEM_PART_LENGTH)
    models = sheet.texts(MODEL) if not model else None
    if models is not None:
        check_names(sheet, MODEL, models, "the model's name", SYSTEM_PART_LENGTH)
    sheet.problems.stop_if_any()
    which = np.zeros(len(sheet), dtype=np.int64) if models is None else models.codes.astype(np.int64)
    pairs, systems = np.unique(np.column_stack((which, run.codes)), axis=0, return_inverse=True)
    names = [
        (model if models is None else models.values[model_code], run.values[run_code])
        for model_code, run_code in pairs.tolist()
    ]
    return systems.ravel(), names


def _folds(sheet: Sheet, folds: int) -> Codes:
    numbers = sheet.numbers(FOLD)
    is_fold = np.isin(numbers, np.arange(folds))
    sheet.report(
        np.flatnonzero(~is_fold),
        "the fold is unknown",
        field=FOLD,
        value=lambda row: f"{numbers[row]:g}",
        remedy=f"Folds are numbered from 0 to {folds - 1}.",
    )
    return np.where(is_fold, numbers, -1).astype(np.int64)


def _instances(sheet: Sheet, fold: Codes, split: Split) -> Codes:
    names = sheet.texts(INSTANCE)
    place: Codes = names.mapped({name: place for place, name in enumerate(split.ids)}).astype(np.int64)
    unknown = place < 0
    sheet.report(
        np.flatnonzero(unknown),
        "the instance is not in the dataset",
        field=INSTANCE,
        value=names.at,
        remedy="Use the ids of instances.parquet.",
    )
    elsewhere = ~unknown & (fold >= 0) & (split.parts[fold, place] != SplitPart.TEST)

    def part(row: int) -> str:
        return f"{names.at(row)}: {SplitPart(split.parts[fold[row], place[row]]).word} in fold {fold[row]}"

    sheet.report(
        np.flatnonzero(elsewhere),
        "the instance is not in the test part of its fold",
        field=INSTANCE,
        value=part,
        remedy="Predict the test part of each fold only, as folds.parquet lists it.",
    )
    return place


def _heads(sheet: Sheet, fold: Codes, handover: Handover) -> Codes:
    """The place of each row's output layer among those of its fold."""
    if HEAD not in sheet:
        return np.zeros(len(sheet), dtype=np.int64)
    names = sheet.texts(HEAD)
    places = np.full(len(sheet), -1)
    for number, heads in enumerate(handover.heads):
        predicting = heads if handover.predicts_from_all else heads[:1]
        rows = np.flatnonzero(fold == number)
        place = names.mapped({name: place for place, name in enumerate(predicting)})[rows].astype(np.int64)
        if not handover.predicts_from_all:
            place[names.codes[rows] < 0] = 0  # the only one need not be named
        places[rows] = place
    sheet.report(
        np.flatnonzero((places < 0) & (fold >= 0)),
        "the fold's model has no output layer of this name"
        if handover.predicts_from_all
        else "the prediction is made from the first output layer alone",
        field=HEAD,
        value=names.at,
        remedy="Use the heads that targets.json lists for the fold, or leave the column out if one is enough.",
    )
    return places


def _probabilities(sheet: Sheet, handover: Handover, corpus: Corpus) -> Matrix:
    """(R, K), each in [0, 1], with rows that sum to 1 unless the task is multilabel."""
    q = np.column_stack([sheet.numbers(column) for column in handover.columns])
    outside = outside_unit_interval(q)
    for label, values, bad in zip(handover.columns, q.T, outside.T, strict=True):
        sheet.report(
            np.flatnonzero(bad),
            "this is not a number in [0, 1]",
            field=label,
            value=values.__getitem__,
            remedy="Give probabilities, not logits.",
        )
    if not corpus.judgements.multilabel:
        off: Mask = rows_not_summing_to_one(q) & ~outside.any(axis=1)
        sheet.report(
            np.flatnonzero(off),
            "the probabilities do not sum to 1",
            field=", ".join(handover.columns[:3]),
            value=lambda row: f"{q[row].sum():.6g}",
            remedy="Give the softmax over the labels.",
        )
    return q


@dataclass(frozen=True, eq=False)
class _Slots:
    """A number for each row that one system must have: fold by fold, text by text, head by head.

    Attributes:
        start: (F + 1,) the first number of each fold, and how many there are.
        heads: (F,) how many output layers count in each fold.
        order: (F, N) the place of an instance in the fold's test part; -1 if it is not in it.
        ids: (N,) of the instances.
    """

    start: Codes
    heads: Codes
    order: Codes
    ids: tuple[str, ...]

    @classmethod
    def of(cls, split: Split, handover: Handover) -> _Slots:
        heads = np.array([len(names) if handover.predicts_from_all else 1 for names in handover.heads], dtype=np.int64)
        order = np.full(split.parts.shape, -1)
        sizes = []
        for number, fold in enumerate(split):
            order[number, fold.test] = np.arange(len(fold.test))
            sizes.append(len(fold.test))
        return cls(np.concatenate([[0], np.cumsum(np.array(sizes) * heads)]), heads, order, split.ids)

    @property
    def total(self) -> int:
        return int(self.start[-1])

    def number(self, fold: Codes, instance: Codes, head: Codes) -> Codes:
        """The slot of each row."""
        slot: Codes = self.start[fold] + self.order[fold, instance] * self.heads[fold] + head
        return slot

    def instance(self, slot: int) -> str:
        """The id of a slot's instance."""
        fold = int(np.searchsorted(self.start, slot, side="right")) - 1
        place = (slot - self.start[fold]) // self.heads[fold]
        return self.ids[int(np.flatnonzero(self.order[fold] == place)[0])]

    def folds(self, whole: Matrix, split: Split, handover: Handover) -> list[PredictedFold]:
        """One system's rows, by fold."""
        return [
            PredictedFold(
                instances=fold.test,
                logits=whole[self.start[number] : self.start[number + 1]].reshape(
                    len(fold.test), int(self.heads[number]), -1
                ),
                heads=handover.heads[number] if handover.predicts_from_all else handover.heads[number][:1],
            )
            for number, fold in enumerate(split)
        ]


def _check_complete(sheet: Sheet, slots: _Slots, names: Iterable[Key], *, systems: Codes, slot: Codes) -> None:
    """Every slot of every system is filled once."""
    both = systems * slots.total + slot
    order = np.argsort(both, kind="stable")
    double = np.sort(order[1:][both[order][1:] == both[order][:-1]])
    sheet.report(
        double,
        "this was predicted in a row above",
        field=INSTANCE,
        value=sheet.texts(INSTANCE).at,
        remedy="Give one row for each run, fold, instance and output layer.",
    )
    for number, (model, run) in enumerate(names):
        filled = np.zeros(slots.total, dtype=bool)
        filled[slot[systems == number]] = True
        lacking = np.flatnonzero(~filled)
        if len(lacking):
            some = dict.fromkeys(slots.instance(number_of_slot) for number_of_slot in lacking[:20].tolist())
            sheet.problems.add(
                sheet.file.name,
                f"{system_name(model, '', run)} lacks {len(lacking):,} of {slots.total:,} predictions",
                field=INSTANCE,
                value=listed(some),
                remedy="Predict every text of the test part of every fold, with each of its output layers.",
            )


class OtherData(Conflict):
    """The targets were made from another dataset, or from other content."""


def import_trained(
    dataset: Dataset,
    folder: Path,
    *,
    model: str = "",
    actor: User | None = None,
    replace: bool = False,
    dry_run: bool = False,
    progress: Progress = silent,
) -> tuple[PredictionsWritten, list[str]]:
    """Store what the folder's `predictions.parquet` predicts: a system for each model and run, with the folder's
    digest as its provenance, and the predicted annotations of annotators' heads. All or nothing, and safe to repeat.

    Args:
        dataset: the one that the targets were made from.
        folder: that of `make_targets`, with the predictions.
        model: what the systems' model is called, if the table does not say it.
        actor: who does this, for the event log.
        replace: whether other predictions of the same names are replaced, as long as nothing uses the dataset.
        dry_run: whether what is written is taken back at the end.
        progress: is told how far it is.

    Returns:
        What was written, or would be, and notes for the person who imports it.

    Raises:
        NotHandedOver: the folder is not what `make_targets` wrote.
        OtherData: its targets were made from another dataset.
        ImportRefused: the table lists something twice, lacks something, or has impossible values.
        HLVError: what else `write_predictions` raises.
    """
    handover = read_handover(folder)
    _refuse_other_data(handover, dataset, folder)
    corpus = corpus_of(dataset)
    split = read_split(folder, handover, corpus.ids)
    stated = read_statement(folder)
    problems = Problems()
    file = SourceFile.at(folder / PREDICTIONS)
    runs = read_predictions(
        file, handover=handover, split=split, corpus=corpus, model=model, problems=problems, progress=progress
    )
    provenance = {
        "by": "a trainer of somebody's own",
        "data": dataset.fingerprint,
        "split": split.stated(),
        "targets": handover.sha256,
        "versions": dict(handover.versions),
        **({"stated": stated} if stated else {}),
    }
    tables = [
        trained_table(corpus, model=name, method=handover.method, run=run, folds=folds, provenance=provenance)
        for (name, run), folds in runs.items()
    ]
    table = PredictionTable(
        tuple(system for part in tables for system in part.systems),
        answers=tuple(answers for part in tables for answers in part.answers),
    )
    with transaction.atomic():
        written = write_predictions(dataset=dataset, table=table, actor=actor, files=[file.name], replace=replace)
        transaction.set_rollback(dry_run)
    return written, missing_notes(table)


def _refuse_other_data(handover: Handover, dataset: Dataset, folder: Path) -> None:
    if handover.dataset["fingerprint"] != dataset.fingerprint:
        raise OtherData(
            f"The targets in {folder} were made from the dataset {handover.dataset['slug']!r} with the SHA-256 "
            f"{handover.dataset['fingerprint'][:12]}, and {dataset.slug!r} has {dataset.fingerprint[:12]}: other "
            f"texts, labels or annotations. Name the dataset that they were made from, or make the "
            "targets again and train on them."
        )
