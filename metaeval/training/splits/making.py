"""The three ways to split a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Codes, Mask, Matrix, ShortColumn, Vector
from metaeval.training.corpus import Corpus
from metaeval.training.splits.checking import CannotSplit, check_split
from metaeval.training.splits.dealing import dealt, drawn_order
from metaeval.training.splits.split import Split, SplitKind, SplitPart

PARTS = {
    **dict.fromkeys(("train", "training"), SplitPart.TRAIN),
    **dict.fromkeys(("dev", "development", "val", "valid", "validation"), SplitPart.DEV),
    **dict.fromkeys(("test", "testing"), SplitPart.TEST),
}
"""What files call the parts."""


def split_of(
    corpus: Corpus, kind: SplitKind | None = None, *, folds: int = 10, seed: int = 0, stratify: bool = False
) -> Split:
    """The split of that kind; None: the given one if the files give one, else folds.

    Raises:
        CannotSplit: what the three below raise.
    """
    kind = kind or ("given" if gives_split(corpus) else "folds")
    if kind == "given":
        return given(corpus)
    if kind == "folds":
        return k_folds(corpus, folds, seed=seed, stratify=stratify)
    return shares(corpus, seed=seed, stratify=stratify)


def gives_split(corpus: Corpus) -> bool:
    """Whether the files say which texts are for training and which for testing. Those of a shared task whose test part
    is not published name no test part.
    """
    return {SplitPart.TRAIN, SplitPart.TEST} <= {PARTS.get(name.strip().casefold()) for name in set(corpus.given)}


def given(corpus: Corpus) -> Split:
    """The split that the files give, in one fold. What they call by another name, such as "trial", is unused.

    A text that is in several parts stays in the one that counts most, test before development before training, and its
    twins elsewhere are unused: the published test part is kept, and nothing leaks into it.

    Raises:
        CannotSplit: the files name no parts, or no training or test part.
    """
    if not any(corpus.given):
        raise CannotSplit(
            "The files of this dataset do not say which texts are for training and which for testing. Split them into "
            "folds or shares, or import them again with a column 'split'."
        )
    named = [PARTS.get(name.strip().casefold(), SplitPart.UNUSED) for name in corpus.given]
    parts = np.where(corpus.usable, np.array(named, dtype=np.int8), np.int8(SplitPart.UNUSED))
    counts_most = np.zeros(len(corpus), dtype=np.int8)
    np.maximum.at(counts_most, corpus.texts_apart, parts)
    twin = (parts != SplitPart.UNUSED) & (parts < counts_most[corpus.texts_apart])
    parts[twin] = SplitPart.UNUSED
    split = Split(kind="given", ids=corpus.ids, parts=parts[None], twins=int(twin.sum()))
    check_split(split, corpus)
    return split


def k_folds(
    corpus: Corpus, folds: int = 10, *, development: float = 0.1, seed: int = 0, stratify: bool = False
) -> Split:
    """Folds of about equal size, each of which is the test part once; of the rest, a share is for development.

    Args:
        corpus: what is split. The copies of one text stay together.
        folds: how many; at least 2.
        development: the share of each training part that is set aside, in [0, 1).
        seed: of the draw.
        stratify: whether to spread evenly, as far as possible, the majority labels, and the labels that anyone gave.

    Raises:
        CannotSplit: there are fewer texts than folds, or a fold lacks a label.
    """
    groups = _Groups.of(corpus, stratify=stratify)
    if folds < 2:
        raise CannotSplit(f"{folds} folds cannot be trained on and tested: ask for at least 2.")
    if not 0 <= development < 1:
        raise CannotSplit(f"The share for development is {development}: it must be at least 0 and less than 1.")
    if len(groups) < folds:
        raise CannotSplit(
            f"There are {len(groups)} different texts, fewer than the {folds} folds. Ask for at most {len(groups)} "
            "folds, or add texts."
        )
    tested = groups.dealt(np.ones(folds), str(seed))
    parts = np.zeros((folds, len(corpus)), dtype=np.int8)
    for fold in range(folds):
        part = np.full(len(groups), SplitPart.TEST, dtype=np.int8)
        rest = tested != fold
        set_aside = groups.dealt(np.array([1 - development, development]), f"{seed}/{fold}", rest)
        part[rest] = np.array([SplitPart.TRAIN, SplitPart.DEV], dtype=np.int8)[set_aside]
        parts[fold] = groups.spread(part)
    split = Split(kind="folds", ids=corpus.ids, parts=parts, seed=seed, is_stratified=stratify)
    check_split(split, corpus)
    return split


def shares(corpus: Corpus, weights: Sequence[float] = (8, 1, 1), *, seed: int = 0, stratify: bool = False) -> Split:
    """One fold, with parts for training, development and test in these proportions.

    Args:
        corpus: what is split. The copies of one text stay together.
        weights: of training, development and test; only that of development may be 0.
        seed: of the draw.
        stratify: as for `k_folds`.

    Raises:
        CannotSplit: there are too few texts, or no text to learn from has a label that others have.
    """
    train, dev, test = weights
    if not (train > 0 and dev >= 0 and test > 0):
        raise CannotSplit(
            f"The shares {train:g}:{dev:g}:{test:g} leave nothing to learn from or to predict: those of training and "
            "test must be above 0, as in 8:1:1."
        )
    groups = _Groups.of(corpus, stratify=stratify)
    part = groups.dealt(np.array([train, dev, test], dtype=np.float64), str(seed))
    order = np.array([SplitPart.TRAIN, SplitPart.DEV, SplitPart.TEST], dtype=np.int8)
    parts = groups.spread(order[part])[None]
    split = Split(kind="shares", ids=corpus.ids, parts=parts, seed=seed, is_stratified=stratify)
    check_split(split, corpus)
    return split


@dataclass(frozen=True, eq=False)
class _Groups:
    """G groups of usable instances with the same text, which stay together.

    Attributes:
        names: the first id of each, by which it is drawn.
        sizes: (G,) how many instances each has.
        labels: (G, L) how many of them have each majority label, none, or each label at all; None unless stratified.
        group: (N,) the group of each instance; -1 if it is not usable.
    """

    names: list[str]
    sizes: Codes
    labels: Matrix | None
    group: Codes

    @classmethod
    def of(cls, corpus: Corpus, *, stratify: bool) -> _Groups:
        usable = np.flatnonzero(corpus.usable)
        if not len(usable):
            raise CannotSplit(
                "There is nothing to learn from: every text is withdrawn, empty, or judged by nobody. Import a dataset "
                "with texts and human annotations."
            )
        _, of_usable, sizes = np.unique(corpus.texts_apart[usable], return_inverse=True, return_counts=True)
        group = np.full(len(corpus), -1)
        group[usable] = of_usable
        names: dict[int, str] = {}
        for place, number in zip(usable.tolist(), of_usable.tolist(), strict=True):
            names[number] = min(names.get(number, corpus.ids[place]), corpus.ids[place])
        labels = None
        if stratify:
            P, majority = corpus.judgements.shares[usable], corpus.judgements.majority[usable]
            columns = np.column_stack([majority, ~majority.any(axis=1), P > 0]).astype(np.float64)
            labels = np.zeros((len(sizes), columns.shape[1]))
            np.add.at(labels, of_usable, columns)
        return cls([names[number] for number in range(len(sizes))], sizes, labels, group)

    def __len__(self) -> int:
        return len(self.names)

    def dealt(self, share: Vector, seed: str, these: Mask | None = None) -> Codes:
        """The part of each of these groups."""
        chosen = np.arange(len(self)) if these is None else np.flatnonzero(these)
        order = drawn_order([self.names[number] for number in chosen.tolist()], seed)
        return dealt(order, self.sizes[chosen], share, None if self.labels is None else self.labels[chosen])

    def spread(self, part: ShortColumn) -> ShortColumn:
        """(N,) the part of each instance, from that of its group."""
        return np.where(self.group >= 0, part[self.group], np.int8(SplitPart.UNUSED)).astype(np.int8)
