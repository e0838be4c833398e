"""Correlations of every pair of metrics over rows of their values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from annotations.ground.arrays import Matrix
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.metric_relationship.result import RelationOfMetrics
from metaeval.metrics import WrongTaskError
from metaeval.stats import Coefficient, correlation
from metaeval.stats.correlating.coefficients import is_constant

Over = Literal["simulated pair", "system"]
"""What a row of the values is."""

FIGURE = ("soft_accuracy", "po_jsd")
"""The two metrics of Figure 1, of which the first is never above the second (Theorem 3.1)."""


def chosen_metrics(task: str, names: Sequence[str] | None) -> tuple[str, ...]:
    """The names of these metrics, or of the task's six; `AnalysisError` if there are fewer than two."""
    try:
        chosen = tuple(entry.name for entry in metrics.select(metrics.checked_task(task), names))
    except WrongTaskError as error:
        raise AnalysisError(f"{error}.") from error
    if len(chosen) < 2:
        raise AnalysisError("A relationship needs two metrics; name at least 2.")
    return chosen


def relations(names: Sequence[str], values: Matrix, coefficient: Coefficient, over: Over) -> list[RelationOfMetrics]:
    """One row per pair of metrics, over the rows of `values` (rows, metrics) in which both are defined."""
    return [
        _relation((names[i], names[j]), values[:, [i, j]], coefficient, over)
        for i, j in combinations(range(len(names)), 2)
    ]


def _relation(names: tuple[str, str], values: Matrix, coefficient: Coefficient, over: Over) -> RelationOfMetrics:
    both = np.isfinite(values).all(axis=1)
    known, n = values[both], int(both.sum())
    value = error = math.nan
    if n < 3:
        reason = f"both are defined for {n} {over}(s) only"
    else:
        found = correlation(known[:, 0], known[:, 1], coefficient)
        value = found.value
        error = (1 - value**2) / math.sqrt(n) if over == "simulated pair" else math.nan
        constant = next((name for name, column in zip(names, known.T, strict=True) if is_constant(column)), "")
        reason = f"{metrics.get(constant).title} is the same for every {over}" if constant else found.reason
    return RelationOfMetrics(
        a=names[0], b=names[1], n=n, left_out=len(values) - n, value=value, error=error, reason=reason
    )
