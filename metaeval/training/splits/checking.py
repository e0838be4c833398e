"""What a split must have before anything is trained on it, said in sentences."""

from __future__ import annotations

import numpy as np

from annotations.ground.errors import HLVError
from metaeval.training.corpus import Corpus
from metaeval.training.splits.split import Split

SHOWN = 3


class CannotSplit(HLVError):
    """The instances cannot be divided as asked."""

    code = "cannot_split"


def check_split(split: Split, corpus: Corpus) -> None:
    """Refuse a split with a fold in which there is nothing to learn from, nothing to predict, or a label that other
    texts have is in no text to learn from.

    A label that a single text has is no reason to refuse, because no draw could put it on both sides. Nor is any label
    of a given split, which is what it is.

    Raises:
        CannotSplit: one of these.
    """
    for number, fold in enumerate(split, start=1):
        where = f"fold {number} of {len(split)}" if len(split) > 1 else "the split"
        if not len(fold.test):
            raise CannotSplit(f"There is no text to predict: {where} has no test part. {_remedy(split)}")
        if not len(split.final(number - 1)):
            raise CannotSplit(f"There is nothing to learn from: {where} has no training part. {_remedy(split)}")
    if split.kind != "given":
        _check_labels(split, corpus)


def check_development(split: Split) -> None:
    """Refuse a search for settings if a fold has no development part to choose them on.

    Raises:
        CannotSplit: so it is.
    """
    if not split.has_dev:
        raise CannotSplit(
            "A search chooses its settings on a development part, and this split has none in at least one fold. "
            "Train without a search, or split the texts into folds or shares that have one."
        )


def labels_not_learnt(split: Split, corpus: Corpus) -> dict[int, tuple[str, ...]]:
    """By fold, the labels that somebody gave a usable text, but nobody any text that the final model learns from."""
    given = corpus.judgements.shares > 0
    known = given[corpus.usable].any(axis=0)
    found = {}
    for fold in range(len(split)):
        lacking = known & ~given[split.final(fold)].any(axis=0)
        if lacking.any():
            found[fold] = tuple(np.array(corpus.judgements.labels)[lacking].tolist())
    return found


def _check_labels(split: Split, corpus: Corpus) -> None:
    given = (corpus.judgements.shares > 0) & corpus.usable[:, None]
    texts = [len(np.unique(corpus.texts_apart[column])) for column in given.T]
    several = {label for label, count in zip(corpus.judgements.labels, texts, strict=True) if count > 1}
    for fold, labels in labels_not_learnt(split, corpus).items():
        avoidable = [label for label in labels if label in several]
        if avoidable:
            more = f" and {len(avoidable) - SHOWN} more" if len(avoidable) > SHOWN else ""
            where = f"Fold {fold + 1} is" if len(split) > 1 else "The training part is"
            raise CannotSplit(
                f"{where} without a label: no text to learn from has {', '.join(map(repr, avoidable[:SHOWN]))}{more}, "
                "which other texts have. "
                + ("Use another seed." if split.is_stratified else "Stratify the split, or use another seed.")
            )


def _remedy(split: Split) -> str:
    if split.kind == "given":
        return (
            "Import the files of the training and of the test part together as one dataset, or split the texts into "
            "folds or shares."
        )
    return "Ask for other shares or fewer folds, or add texts."
