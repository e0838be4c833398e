"""Which instances are learnt from, which choose the settings, and which are predicted.

A split is made once per dataset and is the same for all methods, so that their predictions can be compared. It
depends on the instances' ids and the seed only, never on the order of rows or on what anybody predicts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, Literal

import numpy as np

from annotations.ground.arrays import Codes, Mask, Matrix, ShortColumn, Vector
from annotations.ground.errors import HLVError
from metaeval.training.corpus import Corpus

SplitKind = Literal["given", "folds", "shares"]


class SplitPart(IntEnum):
    """What an instance is used for in a fold."""

    UNUSED = 0
    TRAIN = 1
    DEV = 2
    TEST = 3

    @property
    def word(self) -> str:
        """As files name it."""
        return self.name.lower()


@dataclass(frozen=True)
class Fold:
    """The places of a fold's instances, ascending: learnt from, for the choice of settings, to be predicted."""

    train: Codes
    dev: Codes
    test: Codes


@dataclass(frozen=True, eq=False)
class Split:
    """F folds of N instances. Each instance plays one part in each fold; no text is in two parts of a fold."""

    kind: SplitKind
    """As "given" by the files, in "folds" of which each usable instance is predicted once, or in "shares"."""
    ids: tuple[str, ...]
    """The instances."""
    parts: ShortColumn
    """(F, N) int8, a `SplitPart` each."""
    seed: int = 0
    """Of the draw; 0 if the split is given."""
    is_stratified: bool = False
    """Whether the majority labels are spread evenly."""
    twins: int = 0
    """How many instances of a given split are unused because the same text is in a part that counts more (test before
    dev before train)."""

    def __post_init__(self) -> None:
        if self.parts.ndim != 2 or self.parts.shape[1] != len(self.ids):
            raise ValueError(f"the parts are {self.parts.shape}, not folds x {len(self.ids)} instances")

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, fold: int) -> Fold:
        places = (np.flatnonzero(self.parts[fold] == part) for part in (SplitPart.TRAIN, SplitPart.DEV, SplitPart.TEST))
        return Fold(*places)

    def __iter__(self) -> Iterator[Fold]:
        return (self[fold] for fold in range(len(self)))

    @property
    def final_learns_from_dev(self) -> bool:
        """Whether the model that predicts the test part learns from train and dev, once the settings are chosen.

        As published (section 5.1): so with k folds; with a given split or shares it learns from train alone.
        """
        return self.kind == "folds"

    def final(self, fold: int) -> Codes:
        """The places of the instances that the fold's final model learns from, ascending."""
        learnt = (SplitPart.TRAIN, SplitPart.DEV) if self.final_learns_from_dev else (SplitPart.TRAIN,)
        return np.flatnonzero(np.isin(self.parts[fold], learnt))

    @property
    def has_dev(self) -> bool:
        """Whether every fold has a development part."""
        return bool((self.parts == SplitPart.DEV).any(axis=1).all())

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the instances' ids and their parts."""
        digest = hashlib.sha256(json.dumps([self.kind, list(self.parts.shape), self.ids]).encode())
        digest.update(np.ascontiguousarray(self.parts, dtype=np.int8).tobytes())
        return digest.hexdigest()

    def stated(self) -> dict[str, Any]:
        """What a result says of the split, without its parts."""
        return {
            "kind": self.kind,
            "folds": len(self),
            "seed": self.seed,
            "is_stratified": self.is_stratified,
            "final_learns_from_dev": self.final_learns_from_dev,
            "twins_left_out": self.twins,
            "fingerprint": self.fingerprint,
        }


EQUAL = 1e-9
"""Two lacks that differ by less are equal: they are sums of the same numbers in another order."""


def drawn_order(names: Sequence[str], seed: str) -> Codes:
    """The places of the names in a random order: that of the SHA-256 of seed and name.

    Unlike a shuffle, it does not change with the order in which the names are listed, and two names keep their order
    when others come or go.
    """
    keys = [hashlib.sha256(f"{seed}\0{name}".encode()).digest() for name in names]
    return np.array(sorted(range(len(names)), key=keys.__getitem__), dtype=np.int64)


def dealt(order: Codes, sizes: Codes, share: Vector, labels: Matrix | None = None) -> Codes:
    """The part of each of G groups: one of S parts that get about these shares of all instances.

    Groups are taken in the given order, and each goes to the part that lacks most, so that each part ends less than the
    largest group away from its share. With `labels` (G x L: how many instances of a group have each label) this is
    iterative stratification: the groups of the rarest label first, each to the part that lacks most of it, and of
    several the one that lacks most instances.

    Source: Sechidis, Tsoumakas and Vlahavas (ECML PKDD 2011), Algorithm 1; ties go to the earlier part, not to a drawn
    one, because the order is drawn already.
    """
    share = share / share.sum()
    counts = np.zeros((len(sizes), 0)) if labels is None else labels
    # Plain lists from here on: there are few parts, and very many groups to deal one after the other.
    lacks: list[float] = (share * sizes.sum()).tolist()
    lacks_of: list[list[float]] = np.outer(counts.sum(axis=0), share).tolist()
    has: list[list[tuple[int, float]]] = [[] for _ in sizes]
    groups, label_of = np.nonzero(counts)
    for group, label, count in zip(groups.tolist(), label_of.tolist(), counts[groups, label_of].tolist(), strict=True):
        has[group].append((label, count))
    size: list[int] = sizes.tolist()
    part = np.full(len(sizes), -1)

    def deal(group: int, lack: list[float]) -> None:
        most = max(lack) - EQUAL
        tied = [place for place, lacking in enumerate(lack) if lacking > most]
        most = max(lacks[place] for place in tied) - EQUAL
        to = next(place for place in tied if lacks[place] > most)
        part[group] = to
        lacks[to] -= size[group]
        for label, count in has[group]:
            lacks_of[label][to] -= count

    while True:
        to_deal = (counts[part < 0] > 0).sum(axis=0)
        if not to_deal.any():
            break
        rarest = int(np.where(to_deal > 0, to_deal, to_deal.max() + 1).argmin())
        for group in order[(part[order] < 0) & (counts[order, rarest] > 0)].tolist():
            deal(group, lacks_of[rarest])
    for group in order[part[order] < 0].tolist():
        deal(group, lacks)
    return part


SHOWN = 3


class CannotSplit(HLVError):
    """The instances cannot be divided as asked."""


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
    is_given = corpus.judgements.shares > 0
    is_learnable = is_given[corpus.usable].any(axis=0)
    lacking_of = {}
    for fold in range(len(split)):
        lacking = is_learnable & ~is_given[split.final(fold)].any(axis=0)
        if lacking.any():
            lacking_of[fold] = tuple(np.array(corpus.judgements.labels)[lacking].tolist())
    return lacking_of


def _check_labels(split: Split, corpus: Corpus) -> None:
    is_given = (corpus.judgements.shares > 0) & corpus.usable[:, None]
    texts = [len(np.unique(corpus.texts_apart[column])) for column in is_given.T]
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
    """G groups of usable instances with the same text, which stay together."""

    names: list[str]
    """The first id of each, by which it is drawn."""
    sizes: Codes
    """(G,) how many instances each has."""
    labels: Matrix | None
    """(G, L) how many of them have each majority label, none, or each label at all; None unless stratified."""
    group: Codes
    """(N,) the group of each instance; -1 if it is not usable."""

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
