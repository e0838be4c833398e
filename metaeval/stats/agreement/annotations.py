"""Human annotations as the measures of agreement expect them: columns, aligned by item, never by position; and their
counts of items x values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import AnyArray, Codes, Mask, Matrix, Vector, Words
from metaeval.checking import shown
from metaeval.describing import described
from metaeval.frames import is_frame

LabelNames = tuple[Hashable, ...]

Weights = Matrix
"""How often each item counts, shape (items, lanes): one column per resample."""


@described
@dataclass(frozen=True, eq=False)
class Annotations:
    """One label per row: `labels[label[r]]` is what `annotators[annotator[r]]` said about `items[item[r]]`.

    Notes
    -----
    One person may label an item more than once: each label counts.
    """

    item: Codes
    """(n,): Code of the item of each row."""
    annotator: Codes | None
    """(n,): Codes of the people; None if they are unknown."""
    label: Codes
    """(n,): Code of the label of each row."""
    items: AnyArray
    annotators: AnyArray
    """Their names. `items` may contain items that no one labelled."""
    labels: LabelNames
    """The label set in order; for ordinal labels, the order of the scale."""
    missing: int = 0
    """How many rows were left out because their label is missing (None or NaN)."""

    @classmethod
    def from_columns(
        cls,
        item: Sequence[Any] | AnyArray,
        annotator: Sequence[Any] | AnyArray | None,
        label: Sequence[Any] | AnyArray,
        *,
        labels: Sequence[Hashable] | None = None,
        items: Sequence[Any] | AnyArray | None = None,
    ) -> Annotations:
        """Three columns of equal length, with rows in any order.

        `labels` is the whole label set in its order (default: the labels that occur, sorted); `items` likewise.
        ValueError for unequal lengths and for a label or item outside the given ones.

        >>> votes = Annotations.from_columns(["q1", "q1", "q2"], ["Ann", "Ben", "Ann"], ["yes", "no", None])
        >>> votes.labels, votes.label.tolist(), votes.items.tolist(), votes.missing
        (('no', 'yes'), [1, 0], ['q1', 'q2'], 1)
        """
        _same_length(item=item, annotator=annotator, label=label)
        gone = missing(label)
        item_names, item_codes = coded(item, items, "item")
        label_names, label_codes = coded(_kept(label, ~gone), labels, "label")
        people, person = (np.array([]), None) if annotator is None else coded(annotator, None, "annotator")
        return cls(
            item=item_codes[~gone],
            annotator=None if person is None else person[~gone],
            label=label_codes,
            items=item_names,
            annotators=people,
            labels=tuple(label_names.tolist() if labels is None else labels),
            missing=int(gone.sum()),
        )

    @classmethod
    def from_matrix(
        cls,
        matrix: npt.ArrayLike,
        *,
        labels: Sequence[Hashable] | None = None,
        items: Sequence[Any] | None = None,
        annotators: Sequence[Any] | None = None,
    ) -> Annotations:
        """A reliability matrix of shape (annotators, items), NaN (or None) where someone gave no label.

        >>> nan = float("nan")
        >>> Annotations.from_matrix([[1, 2, nan], [1, 3, 3]]).labels
        (1.0, 2.0, 3.0)
        """
        table = np.asarray(matrix)
        if table.ndim != 2:
            msg = f"a reliability matrix has the shape (annotators, items), this one {table.shape}"
            raise ValueError(msg)
        present = ~missing(table)
        person, item = np.nonzero(present)
        label_names, label_codes = coded(table[present], labels, "label")
        return cls(
            item=item,
            annotator=person,
            label=label_codes,
            items=_names(items, table.shape[1], "items"),
            annotators=_names(annotators, table.shape[0], "annotators"),
            labels=tuple(label_names.tolist() if labels is None else labels),
        )

    @classmethod
    def from_counts(
        cls, counts: npt.ArrayLike, labels: Sequence[Hashable] | None = None, *, items: Sequence[Any] | None = None
    ) -> Annotations:
        """Votes without names: how many people gave each label, shape (items, labels).

        >>> Annotations.from_counts([[2, 1], [0, 3]], ["no", "yes"]).label.tolist()
        [0, 0, 1, 1, 1, 1]
        """
        from . import kernels

        votes = np.asarray(counts)
        if votes.ndim != 2 or (votes < 0).any() or (votes != np.floor(votes)).any():
            msg = f"counts are whole numbers >= 0 of shape (items, labels), got shape {votes.shape}"
            raise ValueError(msg)
        offsets, label, counted = kernels.sparse(np.ascontiguousarray(votes, dtype=np.float64))
        item, times = np.repeat(np.arange(len(votes)), np.diff(offsets)), counted.astype(np.int64)
        names = tuple(range(votes.shape[1])) if labels is None else tuple(labels)
        if len(names) != votes.shape[1]:
            msg = f"{len(names)} labels for counts of {votes.shape[1]}"
            raise ValueError(msg)
        return cls(
            item=np.repeat(item, times),
            annotator=None,
            label=np.repeat(label, times),
            items=_names(items, votes.shape[0], "items"),
            annotators=np.array([]),
            labels=names,
        )

    @cached_property
    def table(self) -> CountTable:
        """How often each item got each label."""
        return count_table(self.item, self.label, len(self.items), len(self.labels))

    def only(self, items: npt.ArrayLike) -> Annotations:
        """The annotations of these items (positions in `items`), in this order."""
        rows, columns = _columns_of(self, items)
        return replace(self, **columns, label=self.label[rows], missing=0)

    def one_hot(self) -> SetAnnotations:
        """The same as sets of one label each, for measures that go label by label (`mean_binary_alpha`).

        >>> votes = Annotations.from_columns([1, 1], None, ["yes", "no"])
        >>> votes.one_hot().members[votes.label].tolist()
        [[False, True], [True, False]]
        """
        members = np.eye(len(self.labels), dtype=np.bool_)
        return SetAnnotations(self.item, self.annotator, self.label, members, self.items, self.annotators, self.labels)


@described
@dataclass(frozen=True, eq=False)
class SetAnnotations:
    """One set of labels per row: `members[chosen[r]]` marks the labels of row r.

    Notes
    -----
    A set may be empty (no label applies): that is an answer, not a missing value.
    """

    item: Codes
    """(n,): Code of the item of each row."""
    annotator: Codes | None
    """(n,): Codes of the people; None if they are unknown."""
    chosen: Codes
    """(n,): Code of the set of each row."""
    members: Mask
    """(S, K): The S different sets over the K labels."""
    items: AnyArray
    annotators: AnyArray
    """Their names."""
    labels: LabelNames
    """The label set."""

    @classmethod
    def from_columns(
        cls,
        item: Sequence[Any] | AnyArray,
        annotator: Sequence[Any] | AnyArray | None,
        label_sets: Sequence[Iterable[Hashable]],
        *,
        labels: Sequence[Hashable] | None = None,
        items: Sequence[Any] | AnyArray | None = None,
    ) -> SetAnnotations:
        """Three columns, the last of sets (any iterables) of labels.

        >>> areas = SetAnnotations.from_columns([1, 1, 2], None, [{"Tax"}, {"Tax", "IT"}, set()])
        >>> areas.labels, areas.members.tolist()
        (('IT', 'Tax'), [[False, False], [False, True], [True, True]])
        """
        rows: Sequence[Any] = label_sets
        try:
            lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        except TypeError:  # iterables that can be read only once
            rows = [list(row) for row in rows]
            lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        names, codes = coded(list(chain.from_iterable(rows)), labels, "label")
        return cls.from_offsets(
            item, annotator, codes, offsets, labels=names.tolist() if labels is None else labels, items=items
        )

    @classmethod
    def from_offsets(
        cls,
        item: Sequence[Any] | AnyArray,
        annotator: Sequence[Any] | AnyArray | None,
        codes: npt.ArrayLike,
        offsets: npt.ArrayLike,
        *,
        labels: Sequence[Hashable],
        items: Sequence[Any] | AnyArray | None = None,
    ) -> SetAnnotations:
        """Sets in one flat array: row r has `labels[c]` for c in codes[offsets[r]:offsets[r + 1]]."""
        flat, bounds = np.asarray(codes, dtype=np.int64), np.asarray(offsets, dtype=np.int64)
        if (
            bounds.ndim != 1
            or len(bounds) < 1
            or bounds[0] != 0
            or bounds[-1] != len(flat)
            or (np.diff(bounds) < 0).any()
        ):
            msg = f"offsets rise from 0 to the number of codes ({len(flat)}) and are one more than the rows"
            raise ValueError(msg)
        if len(flat) and not 0 <= flat.min() <= flat.max() < len(labels):
            msg = f"codes lie in [0, {len(labels)}), these reach from {flat.min()} to {flat.max()}"
            raise ValueError(msg)
        indicators = np.zeros((len(bounds) - 1, len(labels)), dtype=np.bool_)
        indicators[np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)), flat] = True
        return cls.from_indicators(item, annotator, indicators, labels=labels, items=items)

    @classmethod
    def from_indicators(
        cls,
        item: Sequence[Any] | AnyArray,
        annotator: Sequence[Any] | AnyArray | None,
        indicators: npt.ArrayLike,
        *,
        labels: Sequence[Hashable] | None = None,
        items: Sequence[Any] | AnyArray | None = None,
    ) -> SetAnnotations:
        """A boolean matrix of shape (n, K): which labels each row chose."""
        marks = np.asarray(indicators)
        if marks.ndim != 2 or not (marks.dtype == np.bool_ or np.isin(marks, (0, 1)).all()):
            msg = f"indicators are a matrix (annotations, labels) of true and false, got {marks.dtype} {marks.shape}"
            raise ValueError(msg)
        _same_length(item=item, annotator=annotator, indicators=marks)
        names = tuple(range(marks.shape[1])) if labels is None else tuple(labels)
        if len(names) != marks.shape[1]:
            msg = f"{len(names)} labels for indicators of {marks.shape[1]}"
            raise ValueError(msg)
        item_names, item_codes = coded(item, items, "item")
        people, person = (np.array([]), None) if annotator is None else coded(annotator, None, "annotator")
        members, chosen = different(marks.astype(np.bool_, copy=False))
        return cls(item_codes, person, chosen, members, item_names, people, names)

    @cached_property
    def table(self) -> CountTable:
        """How often each item got each set."""
        return count_table(self.item, self.chosen, len(self.items), len(self.members))

    def only(self, items: npt.ArrayLike) -> SetAnnotations:
        """The annotations of these items (positions in `items`), in this order."""
        rows, columns = _columns_of(self, items)
        return replace(self, **columns, chosen=self.chosen[rows])

    def as_labels(self) -> Annotations:
        """Each distinct set as one label: the position of the set in `members`.

        >>> areas = SetAnnotations.from_columns([1, 1, 2], None, [{"Tax"}, {"Tax", "IT"}, {"Tax"}])
        >>> areas.as_labels().label.tolist()
        [0, 1, 0]
        """
        places = tuple(range(len(self.members)))
        return Annotations(self.item, self.annotator, self.chosen, self.items, self.annotators, places)

    def binary(self, label: Hashable) -> Annotations:
        """The yes-or-no annotations of one label."""
        if label not in self.labels:
            msg = f"{label!r} is none of the {len(self.labels)} labels"
            raise ValueError(msg)
        yes = self.members[:, self.labels.index(label)][self.chosen]
        return Annotations(self.item, self.annotator, yes.astype(np.int64), self.items, self.annotators, (False, True))


def as_annotations(given: Annotations | npt.ArrayLike) -> Annotations:
    """Annotations as they are, or made from a reliability matrix (raters, units), NaN or None where someone gave no
    label.

    This is the shape that `krippendorff.alpha(reliability_data)` takes. The index of a DataFrame names the raters, its
    columns the units. TypeError for anything else, ValueError for another shape.

    >>> as_annotations([[1, 2, float("nan")], [1, 3, 3]]).labels
    (1.0, 2.0, 3.0)
    """
    if isinstance(given, Annotations):
        return given
    expected = "Annotations, or labels as a matrix (raters, units) with NaN where there is none"
    if isinstance(given, (str, SetAnnotations)) or not hasattr(given, "__len__") or isinstance(given, Mapping):
        msg = f"annotations is {shown(given)}; expected {expected}"
        raise TypeError(msg)
    frame: Any = given
    people, items = (list(frame.index), list(frame.columns)) if is_frame(frame) else (None, None)
    try:
        table = frame.to_numpy() if is_frame(frame) else np.asarray(frame)
    except ValueError as error:
        msg = f"annotations cannot be read ({error}); expected {expected}"
        raise ValueError(msg) from error
    if table.ndim != 2 or not table.size:
        msg = f"annotations have shape {table.shape}; expected {expected}"
        raise ValueError(msg)
    return Annotations.from_matrix(table, items=items, annotators=people)


def _columns_of(annotations: Annotations | SetAnnotations, items: npt.ArrayLike) -> tuple[Mask, dict[str, Any]]:
    """Which rows belong to the chosen items, and these rows' item and annotator, the items' codes being new."""
    chosen = np.asarray(items, dtype=np.int64)
    place = np.full(len(annotations.items), -1)
    place[chosen] = np.arange(len(chosen))
    rows = place[annotations.item] >= 0
    person = None if annotations.annotator is None else annotations.annotator[rows]
    return rows, {"item": place[annotations.item[rows]], "annotator": person, "items": annotations.items[chosen]}


def _kept(values: Sequence[Any] | AnyArray, keep: Mask) -> Sequence[Any] | AnyArray:
    if keep.all():
        return values
    if isinstance(values, np.ndarray):
        return values[keep]
    return [value for value, stays in zip(values, keep, strict=True) if stays]


def _names(names: Sequence[Any] | None, count: int, what: str) -> AnyArray:
    if names is not None and len(names) != count:
        msg = f"{len(names)} names for {count} {what}"
        raise ValueError(msg)
    return np.arange(count) if names is None else np.asarray(names)


def _same_length(**columns: Any) -> None:
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        msg = "columns differ in length: " + ", ".join(f"{name} has {count}" for name, count in lengths.items())
        raise ValueError(msg)


@dataclass(frozen=True, eq=False)
class CountTable:
    """The non-zero counts, one row per item.

    Item i got value codes[j] counts[j] times, for j in offsets[i]:offsets[i + 1], codes ascending. offsets: int64
    (items + 1,); codes: int64; counts: float64; sizes: float64 (items,), the annotations of each item; `values`: how
    many values are possible; `dropped`: how many items were left out because they have too few annotations.
    """

    offsets: Codes
    codes: Codes
    counts: Vector
    sizes: Vector
    values: int
    dropped: int = 0

    @property
    def items(self) -> int:
        return len(self.sizes)

    @property
    def annotations(self) -> int:
        return int(self.sizes.sum())

    @property
    def rows(self) -> Codes:
        """The item of each entry."""
        return np.repeat(np.arange(self.items), np.diff(self.offsets))

    @property
    def largest(self) -> Vector:
        """How often the most frequent value of each item occurs: (items,)."""
        largest = np.zeros(self.items)
        np.maximum.at(largest, self.rows, self.counts)
        return largest

    @property
    def modal(self) -> Mask:
        """Whether each entry is of a most frequent value of its item."""
        modal: Mask = self.counts == self.largest[self.rows]
        return modal

    def observed_values(self) -> Codes:
        """Codes of the values that occur."""
        return np.flatnonzero(np.bincount(self.codes, minlength=self.values))

    def paired(self) -> CountTable:
        """Only the items with at least two annotations: one alone says nothing about agreement."""
        return self.with_at_least(2)

    def with_at_least(self, annotations: int) -> CountTable:
        """Only the items with at least this many annotations."""
        keep = self.sizes >= annotations
        if keep.all():
            return self
        entries = np.repeat(keep, np.diff(self.offsets))
        lengths = np.diff(self.offsets)[keep]
        return CountTable(
            offsets=np.concatenate([[0], np.cumsum(lengths)]),
            codes=self.codes[entries],
            counts=self.counts[entries],
            sizes=self.sizes[keep],
            values=self.values,
            dropped=self.dropped + int((~keep).sum()),
        )

    def sum_by_item(self, amounts: Vector) -> Vector:
        """The entries' amounts, summed for each item."""
        return np.bincount(self.rows, weights=amounts, minlength=self.items).astype(np.float64, copy=False)

    def weighted(self, amounts: Vector, weights: Weights) -> Weights:
        """sum over items of weight x amount, for each value: shape (values, lanes)."""
        from . import kernels

        totals: Weights = kernels.weighted_sums(self.offsets, self.codes, amounts, weights, self.values)
        return totals


def count_table(item: Codes, code: Codes, items: int, values: int) -> CountTable:
    """Count how often each item got each value."""
    cells, counts = np.unique(item.astype(np.int64, copy=False) * values + code, return_counts=True)
    entries, codes = np.divmod(cells, max(values, 1))
    offsets = np.searchsorted(entries, np.arange(items + 1))
    sizes = np.bincount(item, minlength=items).astype(np.float64)
    return CountTable(offsets, codes, counts.astype(np.float64), sizes, values)


def weighted_items(amounts: Vector, weights: Weights) -> Weights:
    """sum over items of weight x amount: amounts (items, features) -> (features, lanes)."""
    from . import kernels

    items, features = amounts.shape
    offsets = np.arange(0, items * features + 1, features) if features else np.zeros(items + 1, dtype=np.int64)
    codes = np.tile(np.arange(features), items)
    totals: Weights = kernels.weighted_sums(offsets, codes, amounts.ravel(), weights, features)
    return totals


def coded(
    values: Sequence[Any] | AnyArray, names: Sequence[Hashable] | AnyArray | None, what: str
) -> tuple[AnyArray, Codes]:
    """The names, and each value's position among them.

    Without `names`, they are the values that occur, sorted (as text if they cannot be compared). ValueError for a value
    that is not among the names, and for a duplicate name.

    >>> coded(["b", "a", "b"], None, "label")[1].tolist(), coded([3, 1], [1, 2, 3], "label")[1].tolist()
    ([1, 0, 1], [2, 0])
    """
    if names is None and isinstance(values, np.ndarray) and values.dtype.kind in "iu" and _dense(values):
        return _numbered(values)
    if names is None and isinstance(values, np.ndarray) and values.dtype != object:
        different = np.unique(values)
        return different, np.searchsorted(different, values).astype(np.int64, copy=False)
    sequence = values.tolist() if isinstance(values, np.ndarray) else values
    uniques = as_array(_in_order(set(sequence)) if names is None else names)
    place = {name: position for position, name in enumerate(uniques.tolist())}
    if len(place) != len(uniques):
        msg = f"a name of the {what}s comes twice"
        raise ValueError(msg)
    try:
        codes = np.fromiter(map(place.__getitem__, sequence), dtype=np.int64, count=len(sequence))
    except KeyError as unknown:
        msg = f"{what} {unknown.args[0]!r} is none of the {len(place)} {what}s given; expected one of them"
        raise ValueError(msg) from None
    return uniques, codes


def as_array(values: Sequence[Any] | AnyArray) -> AnyArray:
    """One dimension; of objects if types are mixed, since NumPy would turn 1 and "1" into the same string."""
    if isinstance(values, np.ndarray):
        return values
    items = list(values)
    array: AnyArray
    if len({type(value) for value in items}) == 1 and isinstance(items[0], (str, int, float, np.generic)):
        array = np.asarray(items)
        if array.ndim == 1:
            return array
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def missing(values: Sequence[Any] | AnyArray) -> Mask:
    """Where a value is None or NaN."""
    array = values if isinstance(values, np.ndarray) else as_array(values)
    if array.dtype == object:
        flat = [value is None or value != value for value in array.ravel().tolist()]  # noqa: PLR0124 - NaN
        return np.array(flat, dtype=np.bool_).reshape(array.shape)
    if array.dtype.kind == "f":
        return np.isnan(array)
    return np.zeros(array.shape, dtype=np.bool_)


def _dense(values: AnyArray) -> bool:
    """Whether integers lie so close together that marking each is cheaper than sorting them."""
    return len(values) > 0 and int(values.max()) - int(values.min()) <= 8 * len(values)


def _numbered(values: AnyArray) -> tuple[AnyArray, Codes]:
    least = values.min()
    place = values.astype(np.int64) - int(least)
    occurs = np.zeros(int(place.max()) + 1, dtype=np.bool_)
    occurs[place] = True
    names = np.flatnonzero(occurs).astype(values.dtype) + least
    return names, (np.cumsum(occurs) - 1)[place]


def _in_order(values: set[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))


def packed(members: Mask) -> Words:
    """Each row as a bit set in words of 64: shape (S, ceil(K / 64)), at least one word."""
    rows, labels = members.shape
    octets = np.zeros((rows, max(1, -(-labels // 64)) * 8), dtype=np.uint8)
    bits = np.packbits(members, axis=1, bitorder="little")
    octets[:, : bits.shape[1]] = bits
    return octets.view("<u8").astype(np.uint64, copy=False)


def different(indicators: Mask) -> tuple[Mask, Codes]:
    """The distinct rows, ordered by size and then by bits, and which of them each row is."""
    from . import kernels

    words = packed(indicators)
    numbers, first = kernels.number(words, slots_for(len(words)))
    members = indicators[first]
    order = np.lexsort((*words[first].T, members.sum(axis=1)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return members[order], place[numbers]


def slots_for(rows: int) -> int:
    """Slots of a hash table for that many rows: a power of two, so at most half full."""
    return 1 << max(4, (2 * rows - 1).bit_length())
