"""Texts dealt out to parts of given sizes, in an order that depends on their ids and a seed only."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from annotations.ground.arrays import Codes, Matrix, Vector

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
    groups, given = np.nonzero(counts)
    for group, label, count in zip(groups.tolist(), given.tolist(), counts[groups, given].tolist(), strict=True):
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
        left = (counts[part < 0] > 0).sum(axis=0)
        if not left.any():
            break
        rarest = int(np.where(left > 0, left, left.max() + 1).argmin())
        for group in order[(part[order] < 0) & (counts[order, rarest] > 0)].tolist():
            deal(group, lacks_of[rarest])
    for group in order[part[order] < 0].tolist():
        deal(group, lacks)
    return part
