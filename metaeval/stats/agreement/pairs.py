"""How far every two people agree, in blocks of pairs: Cohen's kappas of labels, alphas of label sets.

The items that two people have in common are counted within items: nothing goes through all pairs of people. The pairs
come in blocks of first people, so that an item that thousands of people judged takes time but no more memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np

from annotations.ground.arrays import Codes, Mask, Matrix, Vector
from metaeval.sampling import Steps

from .alpha import FixedDistance, KrippendorffAlpha, LabelDistance, NominalDistance, SetDistance, scaled
from .annotations import Annotations, SetAnnotations
from .measure import chance_corrected

ROOM = 1 << 20
"""About how many pairs of judgements of one item a block looks at, which takes about 60 MB."""

CONTRADICTORY = -1
"""The label of a cell whose person gave an item different labels."""
NUMBERS = 1 << 20
"""At most about so many counts (pairs x labels) at a time, which takes 8 MB for each person of the pairs."""
LANES = 64
"""At least so many pairs' alphas are computed side by side."""


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
        enough = above & (shared.data >= least)
        pairs = np.sort(one[enough] * people + other[enough])
        yield CommonItems(
            *np.divmod(pairs, people), *_their_cells(cells, pairs, by_item, place, last), sharing=int(above.sum())
        )


def _their_cells(
    cells: JudgedCells, pairs: Codes, by_item: Codes, place: Codes, last: Codes
) -> tuple[Codes, Codes, Codes]:
    """The common items of these pairs, keys first x people + second, ascending: the pair and both cells of each.

    place: where each cell is in by_item, the cells by item and then by person; last: where its item ends there.
    """
    sides = np.zeros((2, cells.people), dtype=np.bool_)
    sides[0, pairs // cells.people], sides[1, pairs % cells.people] = True, True
    mine = np.flatnonzero(sides[0][cells.person])
    which, at = ranges(place[mine] + 1, (last - place)[mine] - 1)
    one, other = mine[which], by_item[at]
    likely = sides[1][cells.person[other]]
    one, other = one[likely], other[likely]
    key = cells.person[one] * cells.people + cells.person[other]
    pair = np.searchsorted(pairs, key)
    matches = pairs[np.minimum(pair, len(pairs) - 1)] == key
    order = np.argsort(pair[matches], kind="stable")
    return pair[matches][order], one[matches][order], other[matches][order]


def ranges(starts: Codes, lengths: Codes) -> tuple[Codes, Codes]:
    """Every number of some ranges, one after the other, and which range each is from.

    >>> which, numbers = ranges(np.array([7, 3]), np.array([2, 3]))
    >>> which.tolist(), numbers.tolist()
    ([0, 0, 1, 1, 1], [7, 8, 3, 4, 5])
    """
    which = np.repeat(np.arange(len(starts)), lengths)
    ends = np.cumsum(lengths)
    return which, np.arange(len(which)) + (starts - ends + lengths)[which]


@dataclass(frozen=True, eq=False)
class MeasuredPairs:
    """Pairs of people, in the order of the people, and how far they agree; arrays of shape (pairs,).

    first, second: codes of the people. observed, expected: disagreements, `value` = 1 - observed / expected; NaN where
    it is undefined. equal: the share of equal answers. n_items: the items that count; excluded: those that do not,
    because one of the two contradicts themselves; n_labels: how many labels occur. `sharing`: how many pairs share any
    item, also those that are not here.
    """

    first: Codes
    second: Codes
    value: Vector
    observed: Vector
    expected: Vector
    equal: Vector
    n_items: Codes
    excluded: Codes
    n_labels: Codes
    sharing: int

    def __len__(self) -> int:
        return len(self.first)

    def only(self, kept: Codes | Mask) -> MeasuredPairs:
        """Some of the pairs."""
        columns = {field.name: getattr(self, field.name)[kept] for field in fields(self) if field.name != "sharing"}
        return replace(self, **columns)

    @classmethod
    def joined(cls, blocks: list[MeasuredPairs]) -> MeasuredPairs:
        """The pairs of one or more blocks, one after the other."""
        columns = {
            field.name: np.concatenate([getattr(block, field.name) for block in blocks])
            for field in fields(cls)
            if field.name != "sharing"
        }
        return cls(**columns, sharing=sum(block.sharing for block in blocks))


def cells_of(annotations: Annotations | SetAnnotations, annotator: Codes) -> JudgedCells:
    """Who labelled what."""
    people, items = len(annotations.annotators), len(annotations.items)
    return JudgedCells.of(annotations.item, annotator, people=people, items=items)


def single_labels(annotations: Annotations, cells: JudgedCells) -> Codes:
    """The label of each cell; `CONTRADICTORY` if there are different ones."""
    labels = annotations.label[cells.rows]
    if len(labels) == len(cells.item):
        return labels
    lowest, highest = (extreme.reduceat(labels, cells.starts[:-1]) for extreme in (np.minimum, np.maximum))
    return np.where(lowest == highest, lowest, CONTRADICTORY)


def kappas_of_pairs(
    annotations: Annotations,
    annotator: Codes,
    distances: Matrix | None,
    *,
    least_common: int = 1,
    constant: float = math.nan,
    progress: Steps | None = None,
) -> Iterator[tuple[MeasuredPairs, CommonItems, Codes]]:
    """Cohen's kappas of the pairs with so many items in common, with each block's common items and the cells' labels.

    `distances`: how far apart every two labels are, as whole numbers (labels, labels); None if labels are equal or not.
    """
    cells = cells_of(annotations, annotator)
    label, labels = single_labels(annotations, cells), len(annotations.labels)
    for block in common_items(cells, least=least_common, progress=progress):
        for common in block.parts(max(1, NUMBERS // max(1, labels))):
            yield _kappas(common, label, labels, distances, constant), common, label


def _kappas(common: CommonItems, label: Codes, labels: int, distances: Matrix | None, constant: float) -> MeasuredPairs:
    pairs = len(common.first)
    one, other = label[common.one], label[common.other]
    sound = (one != CONTRADICTORY) & (other != CONTRADICTORY)
    excluded = np.bincount(common.pair[~sound], minlength=pairs)
    pair, one, other = common.pair[sound], one[sound], other[sound]
    items = np.bincount(pair, minlength=pairs).astype(np.float64)
    same = np.bincount(pair[one == other], minlength=pairs)
    first, second = (
        np.bincount(pair * labels + side, minlength=pairs * labels).reshape(pairs, labels).astype(np.float64)
        for side in (one, other)
    )
    largest, apart = 1.0, items - same  # whole numbers, also below: exact
    chance: Vector = items**2 - (first * second).sum(axis=1)
    if distances is not None:
        largest = largest_of(distances)
        apart = np.bincount(pair, weights=distances[one, other], minlength=pairs).astype(np.float64)
        chance = (first * (second @ distances)).sum(axis=1)
    with np.errstate(invalid="ignore"):  # without an item that counts: 0/0, undefined
        observed, expected, equal = apart / (largest * items), chance / (largest * items**2), same / items
    return MeasuredPairs(
        common.first,
        common.second,
        value=chance_corrected(observed, expected, constant),
        observed=observed,
        expected=expected,
        equal=equal,
        n_items=items.astype(np.int64),
        excluded=excluded,
        n_labels=np.count_nonzero(first + second, axis=1),
        sharing=common.sharing,
    )


def largest_of(distances: Matrix) -> float:
    """The distance from end to end of a scale; 1 if it has one point."""
    return max(float(distances.max(initial=0.0)), 1.0)


def alphas_of_pairs(
    annotations: SetAnnotations,
    annotator: Codes,
    distance: LabelDistance | SetDistance,
    *,
    least_common: int = 1,
    constant: float = math.nan,
    progress: Steps | None = None,
) -> Iterator[MeasuredPairs]:
    """Krippendorff's alphas of the pairs with so many items in common."""
    cells = cells_of(annotations, annotator)
    lanes = max(LANES, NUMBERS // (4 * max(1, len(annotations.members))))
    for block in common_items(cells, least=least_common, progress=progress):
        for common in block.parts(lanes):
            yield _alphas(common, annotations, cells, distance, constant)


def _alphas(
    common: CommonItems,
    annotations: SetAnnotations,
    cells: JudgedCells,
    distance: LabelDistance | SetDistance,
    constant: float,
) -> MeasuredPairs:
    """Every item of every pair becomes an item of its own; a pair is a lane of the totals."""
    pairs, shared = len(common.first), len(common.pair)
    rows, place = cells.rows_of(np.concatenate([common.one, common.other]))
    item = place % max(1, shared)
    members, chosen = np.unique(annotations.chosen[rows], return_inverse=True)
    whole = SetAnnotations(
        item, None, chosen, annotations.members[members], np.arange(shared), np.array([]), annotations.labels
    )
    alpha = KrippendorffAlpha(whole, distance)
    assert isinstance(alpha.distance, FixedDistance)  # noqa: S101 - all distances of sets are
    sets = len(members)
    totals = np.bincount(chosen * pairs + common.pair[item], minlength=sets * pairs).reshape(sets, pairs)
    lanes = totals.astype(np.float64)
    within, differing = (
        np.bincount(common.pair, weights=each, minlength=pairs).astype(np.float64)
        for each in (alpha.distance.each, NominalDistance(alpha.table).each)
    )
    observed, expected = scaled(within, alpha.distance.between(lanes), lanes)
    return MeasuredPairs(
        common.first,
        common.second,
        value=chance_corrected(observed, expected, constant),
        observed=observed,
        expected=expected,
        equal=1 - differing / lanes.sum(axis=0),
        n_items=np.bincount(common.pair, minlength=pairs),
        excluded=np.zeros(pairs, dtype=np.int64),
        n_labels=np.count_nonzero(totals, axis=0),
        sharing=common.sharing,
    )
