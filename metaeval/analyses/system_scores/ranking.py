"""Methods in order of their mean rank over datasets, models and metrics: Kurniawan et al. (2026), Figures 1 to 4.

And the runs that collapsed: they predict no label for any text, or the same for every text (the same, section 5.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from annotations.ground.arrays import Vector, absent_rows
from metaeval.analyses.base.measured import DescribedMetric
from metaeval.analyses.inputs import DatasetInputs
from metaeval.analyses.system_scores.result import (
    NEGLIGIBLE,
    Collapse,
    CollapsedMethod,
    RankedMethod,
    ScoredMethod,
    ScoredSystem,
)
from metaeval.stats import mean_ranks
from metaeval.stats.correlating.coefficients import is_constant as is_constant_column

Place = tuple[str, str, str]
"""Dataset, model, method."""
NAMELESS = "no method named"
"""For systems without a method, beside others with one."""


def collapses(data: DatasetInputs) -> dict[str, Collapse]:
    """How each system of a dataset collapsed, by its name; empty for those that did not."""
    kinds: dict[str, Collapse] = {}
    for system in data.systems:
        Q = np.asarray(data.Q[system])
        Q = Q[~absent_rows(Q)]
        if data.task == "multilabel" and len(Q) and Q.max() < NEGLIGIBLE:
            kinds[system] = "nothing"
        else:
            kinds[system] = "same" if len(Q) > 1 and np.ptp(Q, axis=0).max() < NEGLIGIBLE else ""
    return kinds


def collapsed_methods(systems: Sequence[ScoredSystem]) -> list[CollapsedMethod]:
    """The methods with runs that collapsed, in the systems' order."""
    runs: dict[Place, list[Collapse]] = {}
    for system in systems:
        runs.setdefault((system.dataset, system.model, system.method), []).append(system.collapse)
    kinds: tuple[Collapse, ...] = ("nothing", "same")
    return [
        CollapsedMethod(
            dataset=dataset, model=model, method=method, collapse=kind, runs=by_run.count(kind), of=len(by_run)
        )
        for (dataset, model, method), by_run in runs.items()
        for kind in kinds
        if kind in by_run
    ]


def constant_groups(data: DatasetInputs, dataset: str) -> set[Place]:
    """Models and methods whose runs all predict the same for every instance."""
    constant: dict[Place, bool] = {}
    for name, origin in zip(data.systems, data.origins, strict=True):
        Q = np.asarray(data.Q[name])
        Q = Q[~absent_rows(Q)]
        is_constant = len(Q) > 1 and all(map(is_constant_column, Q.T))
        key = (dataset, origin["model"], origin["method"])
        constant[key] = constant.get(key, True) and is_constant
    return {key for key, is_constant in constant.items() if is_constant}


def ranked_methods(
    groups: Sequence[ScoredMethod], metrics: Sequence[DescribedMetric], constant: set[Place]
) -> list[RankedMethod]:
    """Methods, best first. If no method is named, models are ranked; nothing if there are fewer than two."""
    with_methods = any(group.method for group in groups)
    names = list(dict.fromkeys(_name(group, with_methods=with_methods) for group in groups))
    if len(names) < 2:
        return []
    settings = list(dict.fromkeys((group.dataset, group.model if with_methods else "") for group in groups))
    shape = (len(settings) * len(metrics), len(names))
    values, absent, last = np.full(shape, math.nan), np.ones(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for group in groups:
        setting = settings.index((group.dataset, group.model if with_methods else ""))
        place = names.index(_name(group, with_methods=with_methods))
        for number, metric in enumerate(metrics):
            row = setting * len(metrics) + number
            mean = group.metrics[metric.name].mean
            values[row, place] = math.nan if mean is None else mean
            absent[row, place] = False
            last[row, place] = (group.dataset, group.model, group.method) in constant
    lower = [metric.orientation == "lower" for metric in metrics] * len(settings)
    averages = mean_ranks(values, lower=lower, last=last, absent=absent)
    degenerate = ((last | np.isnan(values)) & np.isfinite(averages.ranks)).sum(axis=0)
    methods = []
    for place, name in enumerate(names):
        ranks = averages.ranks[:, place].reshape(len(settings), len(metrics))
        methods.append(
            RankedMethod(
                name=name,
                rank=float(averages.means[place]),
                rankings=int(averages.rankings[place]),
                degenerate=int(degenerate[place]),
                by_metric={metric.name: _mean(ranks[:, number]) for number, metric in enumerate(metrics)},
                reason="" if averages.rankings[place] else "it never stands beside another method",
            )
        )
    return sorted(methods, key=lambda method: math.inf if method.rank is None else method.rank)


def _name(group: ScoredMethod, *, with_methods: bool) -> str:
    return (group.method or NAMELESS) if with_methods else group.model


def _mean(ranks: Vector) -> float:
    defined = ranks[np.isfinite(ranks)]
    return float(defined.mean()) if len(defined) else math.nan
