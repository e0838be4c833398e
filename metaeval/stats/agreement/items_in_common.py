"""The items that every two people have in common, counted within items: nothing goes through all pairs of people.

The pairs come in blocks of first people, so that an item that thousands of people judged takes time but no more memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from annotations.ground.arrays import Codes
from metaeval.sampling import Steps

ROOM = 1 << 20
"""About how many pairs of judgements of one item a block looks at, which takes about 60 MB."""


@dataclass(frozen=True, eq=False)
class JudgedCells:
    """What each person said about each item, by person and then by item.

    item, person: codes (cells,). The annotations of cell c are rows[starts[c] : starts[c + 1]]: one, unless the person
    judged the item more than once. `people`, `items`: how many there are.
    """

    item: Codes
    person: Codes
    starts: Codes
    rows: Codes
    people: int
    items: int

    @classmethod
    def of(cls, item: Codes, person: Codes, *, people: int, items: int) -> JudgedCells:
        """The cells of annotations: item and person of each row."""
        key = person * items + item
        rows = np.argsort(key, kind="stable")
        cells, first = np.unique(key[rows], return_index=True)
        return cls(cells % items, cells // items, np.append(first, len(rows)), rows, people, items)

    @property
    def times(self) -> Codes:
        """How many annotations each cell has."""
        return np.diff(self.starts)

    def rows_of(self, cells: Codes) -> tuple[Codes, Codes]:
        """All annotations of these cells, and for each annotation the place of its cell in `cells`."""
        place, row = ranges(self.starts[cells], self.times[cells])
        return self.rows[row], place


@dataclass(frozen=True, eq=False)
class CommonItems:
    """Pairs of people, ascending, and the items of each pair.

    first, second: the people (pairs,). pair, one, other (n,): pair[j], ascending, has the item of the cells one[j], of
    its first person, and other[j]. `sharing`: how many pairs of the block's first people share any item at all.
    """

    first: Codes
    second: Codes
    pair: Codes
    one: Codes
    other: Codes
    sharing: int

    def parts(self, pairs: int) -> Iterator[CommonItems]:
        """The same, so many pairs at a time; the first part, perhaps empty, has the whole `sharing`."""
        for low in range(0, max(1, len(self.first)), pairs):
            start, stop = np.searchsorted(self.pair, (low, low + pairs))
            yield CommonItems(
                self.first[low : low + pairs],
                self.second[low : low + pairs],
                self.pair[start:stop] - low,
                self.one[start:stop],
                self.other[start:stop],
                0 if low else self.sharing,
            )


def common_items(cells: JudgedCells, *, least: int = 1, progress: Steps | None = None) -> Iterator[CommonItems]:
    """Every pair of people with at least so many items in common, in blocks, in the order of the people.

    `progress` is called with the number of people whose pairs are done, and the total.
    """
    from scipy import sparse

    people, items, count = cells.people, cells.items, len(cells.item)
    judged = sparse.csr_array(
        (np.ones(count, dtype=np.int32), cells.item, np.searchsorted(cells.person, np.arange(people + 1))),
        shape=(people, items),
    )
    judges = judged.T.tocsr()
    by_item = np.lexsort((cells.person, cells.item))  # as in `judges`
    last = judges.indptr[cells.item + 1].astype(np.int64)
    place = np.empty(count, dtype=np.int64)
    place[by_item] = np.arange(count)
    work = np.cumsum(np.bincount(cells.person, weights=np.diff(judges.indptr)[cells.item], minlength=people)) // ROOM
    edges = [0, *(np.flatnonzero(np.diff(work)) + 1).tolist(), people]
    for start, stop in pairwise(edges):
        if progress is not None:
            progress(start, people)
        shared = (judged[start:stop] @ judges).tocoo()
        one, other = shared.row.astype(np.int64) + start, shared.col.astype(np.int64)
        above = one < other
        kept = above & (shared.data >= least)
        pairs = np.sort(one[kept] * people + other[kept])
        yield CommonItems(
            *np.divmod(pairs, people), *_their_cells(cells, pairs, by_item, place, last), sharing=int(above.sum())
        )


def _their_cells(
    cells: JudgedCells, pairs: Codes, by_item: Codes, place: Codes, last: Codes
) -> tuple[Codes, Codes, Codes]:
    """The common items of these pairs, keys first x people + second, ascending: the pair and both cells of each.

    place: where each cell is in by_item, the cells by item and then by person; last: where its item ends there.
    """
    wanted = np.zeros((2, cells.people), dtype=np.bool_)
    wanted[0, pairs // cells.people], wanted[1, pairs % cells.people] = True, True
    mine = np.flatnonzero(wanted[0][cells.person])
    which, at = ranges(place[mine] + 1, (last - place)[mine] - 1)
    one, other = mine[which], by_item[at]
    likely = wanted[1][cells.person[other]]
    one, other = one[likely], other[likely]
    key = cells.person[one] * cells.people + cells.person[other]
    pair = np.searchsorted(pairs, key)
    there = pairs[np.minimum(pair, len(pairs) - 1)] == key
    order = np.argsort(pair[there], kind="stable")
    return pair[there][order], one[there][order], other[there][order]


def ranges(starts: Codes, lengths: Codes) -> tuple[Codes, Codes]:
    """Every number of some ranges, one after the other, and which range each is from.

    >>> which, numbers = ranges(np.array([7, 3]), np.array([2, 3]))
    >>> which.tolist(), numbers.tolist()
    ([0, 0, 1, 1, 1], [7, 8, 3, 4, 5])
    """
    which = np.repeat(np.arange(len(starts)), lengths)
    ends = np.cumsum(lengths)
    return which, np.arange(len(which)) + (starts - ends + lengths)[which]
