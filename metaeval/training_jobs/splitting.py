"""The split of a training: made once, stored, and shared by all trainings that ask for the same."""

from __future__ import annotations

from typing import cast

import numpy as np

from annotations.models import Dataset
from annotations.models.datasets import matrix_or_error
from metaeval.training.corpus import Corpus
from metaeval.training.splits import Split, SplitKind, split_of
from metaeval.training_jobs.models import StoredSplit
from metaeval.training_jobs.parameters import TrainingParameters


def split_for(corpus: Corpus, asked: TrainingParameters, *, seed: int) -> Split:
    """The split that the parameters ask for. Raises `CannotSplit`."""
    kind = None if asked.split == "auto" else asked.split
    return split_of(corpus, kind, folds=asked.folds, seed=seed, stratify=asked.stratify)


def stored(split: Split, *, dataset: Dataset) -> StoredSplit:
    """The row of a split, which is made if no training has used it before. To be called in a transaction."""
    found, _ = StoredSplit.objects.get_or_create(
        dataset=dataset,
        kind=split.kind,
        fingerprint=split.fingerprint,
        defaults={
            "folds": len(split),
            "seed": split.seed,
            "is_stratified": split.is_stratified,
            "twins": split.twins,
            "parts": split.parts.astype(np.float64),
        },
    )
    return found


def recalled(row: StoredSplit, ids: tuple[str, ...]) -> Split:
    """The split that a row holds; `ids` are those of the dataset's instances, by position."""
    return Split(
        kind=cast(SplitKind, row.kind),
        ids=ids,
        parts=matrix_or_error(row.parts).astype(np.int8),
        seed=row.seed,
        is_stratified=row.is_stratified,
        twins=row.twins,
    )
