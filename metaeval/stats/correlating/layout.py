"""Scores and targets as the arrays that the compiled loops read: compact, padded, grouped by which systems are left
out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from annotations.ground.arrays import AnyArray, Codes, Mask, Places, Vector

from .coefficients import Coefficient, average_ranks, standardised
from .concordance import above_diagonal, pair_signs
from .within import pairs_within, standard_within

Arrays = tuple[AnyArray, ...]


def layout(coefficient: Coefficient, scores: Sequence[Vector], target: Vector, kept: Sequence[Mask]) -> Arrays:
    """The arguments of `permutation_kernels.count_products` (or `count_pairs`) between draws and observed values.

    `scores` are R rows over the same n systems as `target`, `kept` says for each row which of them it has. Rows that
    keep the same systems form a group, since ranks, means and ties of the target depend on its members.
    """
    n = len(target)
    masks = group_masks(kept)
    groups = np.array([masks.index(mask.tobytes()) for mask in kept])
    members = [np.frombuffer(mask, dtype=np.bool_) for mask in masks]
    places = np.full((len(members), n), -1)
    for group, member in enumerate(members):
        places[group, member] = np.arange(member.sum())
    targets = [target[member] for member in members]
    compact = [row[mask] for row, mask in zip(scores, kept, strict=True)]
    if coefficient == "kendall":
        return (places, *_pairs(n, targets, compact, groups), groups)
    return (places, *_products(n, targets, compact, ranked=coefficient == "spearman"), groups)


def _products(n: int, targets: Sequence[Vector], scores: Sequence[Vector], *, ranked: bool) -> Arrays:
    """Standardised targets (G, n) and scores (R, n)."""

    def padded(values: Vector) -> Vector:
        unit = standardised(average_ranks(values) if ranked else values)
        return np.pad(unit, (0, n - len(unit)))

    return np.array([padded(y) for y in targets]), np.array([padded(x) for x in scores])


def _pairs(n: int, targets: Sequence[Vector], scores: Sequence[Vector], groups: Places) -> Arrays:
    """Signs of the target's pairs (G, n, n), of the scores' (R, n(n-1)/2), and the factor that scales each row to
    tau-b."""
    target_signs = np.zeros((len(targets), n, n), dtype=np.int8)
    for group, y in enumerate(targets):
        target_signs[group, : len(y), : len(y)] = pair_signs(y)
    score_signs = np.zeros((len(scores), n * (n - 1) // 2), dtype=np.int8)
    scales = np.zeros(len(scores))
    for row, x in enumerate(scores):
        signs = above_diagonal(pair_signs(x))
        score_signs[row, : len(signs)] = signs
        untied = [np.count_nonzero(signs), np.count_nonzero(above_diagonal(pair_signs(targets[groups[row]])))]
        scales[row] = 1 / np.sqrt(np.prod(untied, dtype=np.float64))
    return target_signs, score_signs, scales


def layout_within(
    coefficient: Coefficient,
    scores: Sequence[Vector],
    target: Vector,
    kept: Sequence[Mask],
    parts: Mapping[bytes, Codes],
) -> Arrays:
    """The arguments of `exchange_kernels.count_products_of_units` (or `count_pairs_of_units`) after the exchanges.

    As in `layout`; `parts` says for each group (by its mask's bytes) which part of the coefficient its systems belong
    to.
    """
    n = len(target)
    masks = group_masks(kept)
    groups = np.array([masks.index(mask.tobytes()) for mask in kept])
    members = [np.frombuffer(mask, dtype=np.bool_) for mask in masks]
    compact = [row[mask] for row, mask in zip(scores, kept, strict=True)]
    targets = [np.pad(target[member], (0, n - member.sum())) for member in members]
    of_groups = [parts[mask] for mask in masks]
    if coefficient == "kendall":
        return (*_pairs_within(targets, of_groups, compact, groups), groups)

    def padded(values: Vector, group: int) -> Vector:
        own = of_groups[group]
        unit = standard_within(values[: len(own)], own, ranked=coefficient == "spearman")
        return np.pad(unit, (0, n - len(unit)))

    return (
        np.array([padded(values, group) for group, values in enumerate(targets)]),
        np.array([padded(row, int(group)) for row, group in zip(compact, groups, strict=True)]),
        groups,
    )


def group_masks(kept: Sequence[Mask]) -> list[bytes]:
    """The distinct masks: the groups, in order."""
    return sorted({mask.tobytes() for mask in kept}, reverse=True)


def _pairs_within(
    targets: Sequence[Vector], parts: Sequence[Codes], scores: Sequence[Vector], groups: Places
) -> Arrays:
    """Signs of the target's pairs (G, n, n), the places of the pairs that count (G, P, 2) and how many there are (G,),
    signs of the scores' (R, P), and the factor that scales each row."""
    places = [np.stack(pairs_within(part), axis=-1) for part in parts]
    most, n = max(map(len, places)), len(targets[0])
    pairs = np.zeros((len(parts), most, 2), dtype=np.int64)
    target_signs = np.zeros((len(parts), n, n), dtype=np.int8)
    for group, part in enumerate(parts):
        pairs[group, : len(places[group])] = places[group]
        target_signs[group, : len(part), : len(part)] = pair_signs(targets[group][: len(part)])
    score_signs = np.zeros((len(scores), most), dtype=np.int8)
    scales = np.zeros(len(scores))
    for row, x in enumerate(scores):
        i, j = places[groups[row]].T
        score_signs[row, : len(i)] = pair_signs(x)[i, j]
        untied = np.count_nonzero(score_signs[row]) * np.count_nonzero(target_signs[groups[row]][i, j])
        scales[row] = 1 / np.sqrt(float(untied))
    return target_signs, pairs, np.array([len(own) for own in places]), score_signs, scales
