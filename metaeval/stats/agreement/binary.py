"""Alpha for sets of labels, label by label."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Matrix, Vector
from metaeval.checking import checked_type
from metaeval.describing import described
from metaeval.frames import DataFrame, frame_of

from .annotations import CountTable, SetAnnotations, Weights, weighted_items
from .measure import NO_ITEMS, NO_PAIRS, Bootstrap, Measure, MeasuredAgreement, measured

NO_CHOICE_DIFFERS = "no label is chosen by some and not by others"
CHOSEN_ALIKE = "nobody or everybody chose it"


@described
@dataclass(frozen=True)
class MeanBinaryAlpha(MeasuredAgreement):
    """The mean of the labels' alphas.

    The other attributes are those of `MeasuredAgreement`.
    """

    labels: tuple[Hashable, ...] = ()
    """The labels."""
    alphas: tuple[float, ...] = ()
    """The alpha of each label; NaN where no one, or everyone, chose it."""
    left_out: tuple[Hashable, ...] = ()
    """Labels that are left out of the mean because they have no alpha."""

    def to_frame(self) -> DataFrame:
        """One row per `label`: its alpha."""
        nobody = CHOSEN_ALIKE
        rows = (
            {"label": label, "alpha": alpha, "reason": nobody if label in self.left_out else ""}
            for label, alpha in zip(self.labels, self.alphas, strict=True)
        )
        return frame_of(rows, index=["label"], columns=["alpha", "reason"])


@described
@dataclass(frozen=True, eq=False)
class LabelCounts:
    """Counts of sets of labels: how many people chose each label of an item, all that alpha label by label needs."""

    chosen: Matrix
    """(items, K): How many of an item's annotations contain the label."""
    sizes: Vector
    """(items,): How many annotations an item has."""
    labels: tuple[Hashable, ...]
    """The label set."""

    @classmethod
    def from_counts(
        cls, chosen: npt.ArrayLike, sizes: npt.ArrayLike, *, labels: Sequence[Hashable] | None = None
    ) -> LabelCounts:
        """Counts (items, K) and the number of annotations of each item (items,).

        ValueError unless all are whole numbers and 0 <= chosen <= sizes.

        >>> float(mean_binary_alpha(LabelCounts.from_counts([[2, 0], [1, 2], [0, 2]], [2, 2, 2])))
        0.7222222222222222
        """
        from . import kernels

        counts, people = np.asarray(chosen), np.asarray(sizes)
        if counts.ndim != 2 or people.shape != counts.shape[:1]:
            msg = f"counts of shape {counts.shape} and sizes {people.shape}; expected (items, labels) and (items,)"
            raise ValueError(msg)
        names = tuple(range(counts.shape[1])) if labels is None else tuple(labels)
        if len(names) != counts.shape[1]:
            msg = f"{len(names)} labels for counts of {counts.shape[1]}"
            raise ValueError(msg)
        whole = all(
            np.issubdtype(values.dtype, np.integer) or (values == np.floor(values)).all() for values in (counts, people)
        )
        table = cls(np.ascontiguousarray(counts, dtype=np.float64), people.astype(np.float64), names)
        if not whole or not kernels.all_within(table.chosen, table.sizes):
            msg = "counts are whole numbers from 0 to the annotations of their item; look for others among them"
            raise ValueError(msg)
        return table


class BinaryAlphas(Measure):
    """`mean_binary_alpha` as a function of the items' weights; `constant` is of a label that no one or everyone chose.

    Parameters
    ----------
    annotations : SetAnnotations or LabelCounts
        The sets of labels, or how many people chose each label.
    """

    name = "mean_binary_alpha"

    def __init__(self, annotations: SetAnnotations | LabelCounts, *, constant: float = math.nan) -> None:
        if isinstance(annotations, LabelCounts):
            self.table = self.chosen = _dense_table(annotations).paired()
        else:
            self.table = annotations.table.paired()
            self.chosen = _label_table(self.table, annotations)
        self.label_names = annotations.labels
        self.constant = constant
        per_entry = self.chosen.sizes[self.chosen.rows]
        self.within = 2 * self.chosen.counts * (per_entry - self.chosen.counts) / (per_entry - 1)

    def alphas(self, weights: Weights) -> Vector:
        """One alpha per label: shape (labels, lanes)."""
        yes = self.chosen.weighted(self.chosen.counts, weights)
        observed = self.chosen.weighted(self.within, weights)
        count = weighted_items(self.table.sizes[:, None], weights)[0]
        expected = 2 * yes * (count - yes)
        return self._values(observed * (count - 1), expected)

    def values(self, weights: Weights) -> Vector:
        return _mean_of_defined(self.alphas(weights))

    def without_each(self) -> Vector:
        """Labels are independent sums, so leaving out an item means subtracting its rows."""
        labels = len(self.label_names)
        yes, within = (np.zeros((self.table.items, labels)) for _ in range(2))
        yes[self.chosen.rows, self.chosen.codes] = self.chosen.counts
        within[self.chosen.rows, self.chosen.codes] = self.within
        count = (self.table.sizes.sum() - self.table.sizes)[:, None]
        remaining = yes.sum(axis=0) - yes
        alphas = self._values((within.sum(axis=0) - within) * (count - 1), 2 * remaining * (count - remaining))
        return _mean_of_defined(alphas.T)

    @cached_property
    def observed_alphas(self) -> Vector:
        return self.alphas(np.ones((self.table.items, 1)))[:, 0]

    def result(self) -> MeanBinaryAlpha:
        alphas = self.observed_alphas if self.table.items else np.full(len(self.label_names), math.nan)
        defined = np.isfinite(alphas)
        reason = "" if self.table.items else NO_PAIRS if self.table.dropped else NO_ITEMS
        if not reason and not defined.any():
            reason = NO_CHOICE_DIFFERS
        return MeanBinaryAlpha(
            measure=self.name,
            value=math.nan if reason else float(alphas[defined].mean()),
            observed=math.nan,
            expected=None,
            n_items=self.table.items,
            n_annotations=self.table.annotations,
            n_labels=len(self.chosen.observed_values()),
            excluded=self.table.dropped,
            reason=reason,
            notes=("a mean of alphas has no disagreement of its own",),
            labels=self.label_names,
            alphas=tuple(alphas.tolist()),
            left_out=tuple(name for name, keep in zip(self.label_names, defined, strict=True) if not keep),
        )


def mean_binary_alpha(
    annotations: SetAnnotations | LabelCounts, *, constant: float = math.nan, bootstrap: Bootstrap | None = None
) -> MeanBinaryAlpha:
    """The mean over labels of Krippendorff's nominal alpha of "chosen or not".

    Parameters
    ----------
    annotations : SetAnnotations or LabelCounts
        The sets of labels, or how many people chose each label.
    constant : float, default NaN
        The alpha of a label that no one or everyone chose.
    bootstrap : Bootstrap, optional
        How to compute an interval. The default is none.

    Returns
    -------
    MeanBinaryAlpha
        The mean and each label's alpha, or NaN with a reason.

    Notes
    -----
    A label that no one or everyone chose has no alpha: it is left out of the mean and listed, or counts as `constant`.
    The value is at most 1. Undefined where no label has an alpha.

    References
    ----------
    Kurniawan et al. (2026), section 3, who report it for the areas of law.

    Examples
    --------
    >>> sets = SetAnnotations.from_columns([1, 1, 2, 2, 3, 3], None, [{"a"}, {"a"}, {"b"}, {"a", "b"}, {"b"}, {"b"}])
    >>> answer = mean_binary_alpha(sets)
    >>> answer.labels, [round(alpha, 3) for alpha in answer.alphas], round(answer.value, 3)
    (('a', 'b'), [0.444, 1.0], 0.722)
    """
    if not isinstance(annotations, LabelCounts):
        checked_type("annotations", annotations, SetAnnotations, "SetAnnotations (Annotations.one_hot() makes them)")
    return cast(MeanBinaryAlpha, measured(BinaryAlphas(annotations, constant=constant), bootstrap))


def _mean_of_defined(alphas: Vector) -> Vector:
    defined = np.isfinite(alphas)
    count = defined.sum(axis=0)
    total = np.where(defined, alphas, 0.0).sum(axis=0)
    mean: Vector = np.divide(total, count, out=np.full(alphas.shape[1], math.nan), where=count > 0)
    return mean


def _label_table(table: CountTable, annotations: SetAnnotations) -> CountTable:
    """How many of each item's annotations chose each label."""
    from . import kernels

    labels = len(annotations.labels)
    cells = np.flatnonzero(annotations.members)
    starts, label = np.searchsorted(cells, np.arange(len(annotations.members) + 1) * labels), cells % labels
    offsets, codes, chosen = kernels.count_labels(table.offsets, table.codes, table.counts, starts, label, labels)
    return CountTable(offsets, codes, chosen, table.sizes, labels)


def _dense_table(counts: LabelCounts) -> CountTable:
    from . import kernels

    offsets, codes, chosen = kernels.sparse(counts.chosen)
    return CountTable(offsets, codes, chosen, counts.sizes, counts.chosen.shape[1])
