"""Scores and targets as the arrays that the compiled loops read: compact, padded, grouped by who is left
out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotations.arrays import AnyArray, Mask, Places, Vector

from .coefficients import Coefficient, average_ranks, standardised
from .concordance import above_diagonal, pair_signs

Arrays = tuple[AnyArray, ...]


def layout(coefficient: Coefficient, scores: Sequence[Vector], target: Vector, kept: Sequence[Mask]) -> Arrays:
    """What `kernels.count_products` (or `count_pairs`) takes between the draws and what was seen.

    `scores` are R rows over the same n systems as `target`, `kept` says for each row which of them it has.
    Rows that keep the same systems form a group, since ranks, means and ties of the target depend on who is
    in it.
    """
    n = len(target)
    masks = sorted({mask.tobytes() for mask in kept}, reverse=True)
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
    """Signs of the target's pairs (G, n, n), of the scores' (R, n(n-1)/2), and what scales each row to tau-b."""
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
