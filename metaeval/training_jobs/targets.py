"""The targets of a dataset as files, for a trainer of somebody's own."""

from __future__ import annotations

from pathlib import Path

from annotations.ground.progress import Progress, silent
from annotations.models import Dataset
from metaeval.training.handover import Origins, write_handover
from metaeval.training.registry import methods
from metaeval.training.splits import Split, SplitKind, split_of
from metaeval.training_jobs.reading import corpus_of


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
