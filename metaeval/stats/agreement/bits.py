"""Sets of labels as bits."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Codes, Mask, Words


def packed(members: Mask) -> Words:
    """Each row as a bit set in words of 64: shape (S, ceil(K / 64)), at least one word."""
    rows, labels = members.shape
    octets = np.zeros((rows, max(1, -(-labels // 64)) * 8), dtype=np.uint8)
    bits = np.packbits(members, axis=1, bitorder="little")
    octets[:, : bits.shape[1]] = bits
    return octets.view("<u8").astype(np.uint64, copy=False)


def different(indicators: Mask) -> tuple[Mask, Codes]:
    """The distinct rows, ordered by size and then by bits, and which of them each row is."""
    from . import set_kernels

    words = packed(indicators)
    numbers, first = set_kernels.number(words, slots_for(len(words)))
    members = indicators[first]
    order = np.lexsort((*words[first].T, members.sum(axis=1)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return members[order], place[numbers]


def slots_for(rows: int) -> int:
    """Slots of a hash table for that many rows: a power of two, so at most half full."""
    return 1 << max(4, (2 * rows - 1).bit_length())
