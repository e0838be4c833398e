"""Methods in order of their mean rank over datasets, models and metrics: Kurniawan et al. (2026), Figures 1 to 4."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from annotations.ground.arrays import Vector, absent_rows
from metaeval.analyses.base.measured import DescribedMetric
from metaeval.analyses.inputs import DatasetInputs
from metaeval.analyses.system_scores.result import RankedMethod, ScoredMethod
from metaeval.stats import mean_ranks
from metaeval.stats.correlating.coefficients import is_constant as is_constant_column

Place = tuple[str, str, str]
"""Dataset, model, method."""
NAMELESS = "no method named"
"""For systems without a method, beside others with one."""


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
    found = mean_ranks(values, lower=lower, last=last, absent=absent)
    degenerate = ((last | np.isnan(values)) & np.isfinite(found.ranks)).sum(axis=0)
    answers = []
    for place, name in enumerate(names):
        ranks = found.ranks[:, place].reshape(len(settings), len(metrics))
        answers.append(
            RankedMethod(
                name=name,
                rank=float(found.means[place]),
                rankings=int(found.rankings[place]),
                degenerate=int(degenerate[place]),
                by_metric={metric.name: _mean(ranks[:, number]) for number, metric in enumerate(metrics)},
                reason="" if found.rankings[place] else "it never stands beside another method",
            )
        )
    return sorted(answers, key=lambda one: math.inf if one.rank is None else one.rank)


def _name(group: ScoredMethod, *, with_methods: bool) -> str:
    return (group.method or NAMELESS) if with_methods else group.model


def _mean(ranks: Vector) -> float:
    known = ranks[np.isfinite(ranks)]
    return float(known.mean()) if len(known) else math.nan
