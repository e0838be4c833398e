"""Predictions of somebody's own trainer, which learnt from the targets of `make_targets`."""

from __future__ import annotations

from pathlib import Path

from django.db import transaction

from annotations.ground.errors import Conflict
from annotations.ground.progress import Progress, silent
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import PredictionTable
from annotations.importing.reading.files import SourceFile
from annotations.importing.writing.predictions import PredictionsWritten, missing_notes, write_predictions
from annotations.models import Dataset, User
from metaeval.training.handover import Handover, read_handover, read_split
from metaeval.training.handover.layout import PREDICTIONS
from metaeval.training.handover.reading import read_statement
from metaeval.training_jobs.predictions import read_predictions
from metaeval.training_jobs.reading import corpus_of
from metaeval.training_jobs.systems import trained_table


class OtherData(Conflict):
    """The targets were made from another dataset, or from other content."""

    code = "other_data"


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
        tuple(system for one in tables for system in one.systems),
        answers=tuple(answers for one in tables for answers in one.answers),
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
