"""How metrics relate to one another: Kurniawan et al. (2025), Table 2 and Figure 1, and the same on real systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from annotations.arrays import Matrix
from metaeval import metrics
from metaeval.analyses.base import seeding
from metaeval.analyses.base.parameters import MetricNames, Parameters, choices
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Work
from metaeval.analyses.base.zero_division import VALUES, ZeroDivision
from metaeval.analyses.inputs import DatasetInputs, NoInputs
from metaeval.analyses.metric_relationship.tables import tables_of
from metaeval.metrics import DistributionError, WrongTaskError
from metaeval.metrics.relationship import METRICS, relationship_plan
from metaeval.sampling import stream
from metaeval.stats import Coefficient, correlation
from metaeval.stats.coefficients import is_constant

Setting = Annotated[str, Field(pattern=r"^[0-9]*\.?[0-9]+,[0-9]*\.?[0-9]+$")]
Labels = Annotated[int, Field(ge=2, le=1000)]

FIGURE = ("soft_accuracy", "po_jsd")
"""The two metrics of Figure 1, of which the first is never above the second (Theorem 3.1)."""
SIMULATED = "simulated pair"
POINTS, POINT_LABELS = 1000, 3


class MetricRelationship(Parameters):
    """Parameters of `metric_relationship`."""

    metrics: MetricNames = Field(
        default=[],
        title="Metrics",
        description="Names of the metrics; none named: the four of Table 2 in a simulation, the six of the task of a "
        "dataset.",
        json_schema_extra=choices("metrics"),
    )
    coefficient: Coefficient = Field(default="pearson", title="Coefficient", description="Which correlation.")
    concentrations: list[Setting] = Field(  # not “settings”, which Django takes out of every command line
        default=["10,10", "0.1,0.1", "10,0.1", "0.1,10"],
        min_length=1,
        max_length=20,
        title="Concentrations",
        description="Of a simulation: alpha,beta of the Dirichlet distributions of people and of systems.",
    )
    label_counts: list[Labels] = Field(
        default=[10, 100],
        min_length=1,
        max_length=10,
        title="Labels",
        description="Of a simulation: how many labels there are.",
    )
    pairs: int = Field(
        default=500, ge=3, le=100_000, title="Pairs", description="Of a simulation: how many datasets are drawn."
    )
    instances: int = Field(
        default=1000, ge=2, le=100_000, title="Instances", description="Of a simulation: of each of these datasets."
    )
    zero_division: ZeroDivision = Field(
        default="1", title="0/0 counts as", description="Of a dataset: the F1 of a label that nobody uses."
    )


@analysis(
    title="How do metrics relate to one another?",
    subjects=["nothing", "dataset"],
    parameters=MetricRelationship,
    figures=["relationship_map", "relationship_points"],
    example={"pairs": 8, "instances": 40, "label_counts": [4], "concentrations": ["10,10", "0.1,10"]},
)
def metric_relationship(
    inputs: NoInputs | DatasetInputs, parameters: MetricRelationship, seed: int, work: Work
) -> dict[str, Any]:
    """Correlates metrics with one another: over simulated pairs of distributions, or over the systems of a dataset.

    In a simulation P_i ~ Dirichlet(alpha, ..., alpha) and Q_i ~ Dirichlet(beta, ..., beta); the standard error of a
    coefficient r is about (1 - r^2) / sqrt(pairs).
    """
    if isinstance(inputs, DatasetInputs):
        return _of_systems(inputs, parameters, work)
    return _simulated(parameters, seed, work)


def _simulated(parameters: MetricRelationship, seed: int, work: Work) -> dict[str, Any]:
    names = _chosen("multiclass", parameters.metrics or METRICS)
    root = seeding.root(seed, seeding.Purpose.METRIC_RELATIONSHIP)
    settings = [
        (*_numbers(setting), labels)
        for setting in dict.fromkeys(parameters.concentrations)
        for labels in parameters.label_counts
    ]
    work.stage("Simulating")
    plans = {
        f"{number}": relationship_plan(
            alpha,
            beta,
            labels,
            pairs=parameters.pairs,
            instances=parameters.instances,
            metrics=names,
            seed=stream(root, number),
        )
        for number, (alpha, beta, labels) in enumerate(settings)
    }
    replicates = work.run(plans)
    found = [
        {
            "setting": f"α = {alpha:g}, β = {beta:g}",
            "alpha": alpha,
            "beta": beta,
            "labels": labels,
            "relations": _relations(names, replicates[f"{number}"], parameters.coefficient, SIMULATED),
        }
        for number, (alpha, beta, labels) in enumerate(settings)
    ]
    return {
        "metrics": _described(names),
        "settings": found,
        "points": _random_points(stream(root, len(settings))),
        "point_metrics": _described(FIGURE),
        "tables": [tables_of(found, _described(names), parameters.coefficient)],
    }


def _of_systems(data: DatasetInputs, parameters: MetricRelationship, work: Work) -> dict[str, Any]:
    if len(data.systems) < 3:
        raise AnalysisError(
            f"The dataset {data.slug} has {len(data.systems)} system(s); a correlation over systems needs at least 3."
        )
    names = _chosen(data.task, parameters.metrics or None)
    work.stage("Metrics")
    try:
        table = metrics.compute(
            data.P,
            data.Q,
            data.task,
            names,
            zero_division=VALUES[parameters.zero_division],
            labels=data.labels,
            progress=lambda done, total: work.step(done, total, f"Metrics: {done} of {total} systems"),
        )
    except DistributionError as error:
        raise AnalysisError(f"The metrics cannot be computed: {error}.") from error
    values = np.column_stack([table.of(name) for name in names])
    found = [
        {
            "setting": "Systems",
            "alpha": None,
            "beta": None,
            "labels": len(data.labels),
            "relations": _relations(names, values, parameters.coefficient, "system"),
        }
    ]
    shown = FIGURE if set(FIGURE) <= set(names) else names[:2]
    columns = [names.index(name) for name in shown] if len(shown) == 2 else []
    work.step(1, 1)
    return {
        "metrics": _described(names),
        "settings": found,
        "points": [
            {"x": row[columns[0]], "y": row[columns[1]], "system": name, "model": origin["model"]}
            for row, name, origin in zip(values.tolist(), data.systems, data.origins, strict=True)
            if columns and np.isfinite(row)[columns].all()
        ],
        "point_metrics": _described(shown),
        "tables": [tables_of(found, _described(names), parameters.coefficient)],
        "exclusions": [
            {"what": "system", "system": system, "metric": name, "count": 1, "reason": value.reason}
            for system in data.systems
            for name, value in table[system].items()
            if not value.is_defined
        ],
    }


def _chosen(task: str, names: Sequence[str] | None) -> tuple[str, ...]:
    try:
        chosen = tuple(entry.name for entry in metrics.select(metrics.checked_task(task), names))
    except WrongTaskError as error:
        raise AnalysisError(f"{error}.") from error
    if len(chosen) < 2:
        raise AnalysisError("A relationship is one of two metrics; name at least 2.")
    return chosen


def _relations(names: Sequence[str], values: Matrix, coefficient: Coefficient, what: str) -> list[dict[str, Any]]:
    """One row a pair of metrics, over the rows of `values` (rows, metrics) in which both are defined."""
    rows = []
    for i, j in combinations(range(len(names)), 2):
        both = np.isfinite(values[:, [i, j]]).all(axis=1)
        n = int(both.sum())
        row: dict[str, Any] = {"a": names[i], "b": names[j], "n": n, "left_out": len(values) - n}
        if n < 3:
            rows.append(
                row | {"value": math.nan, "error": math.nan, "reason": f"both are defined for {n} {what}(s) only"}
            )
            continue
        found = correlation(values[both, i], values[both, j], coefficient)
        constant = next((names[k] for k in (i, j) if is_constant(values[both, k])), "")
        rows.append(
            row
            | {
                "value": found.value,
                "error": (1 - found.value**2) / math.sqrt(n) if what == SIMULATED else math.nan,
                "reason": f"{metrics.get(constant).title} is the same for every {what}" if constant else found.reason,
            }
        )
    return rows


def _random_points(seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Figure 1: random pairs of distributions over three labels."""
    rng = np.random.default_rng(seed)
    P, Q = (rng.dirichlet(np.ones(POINT_LABELS), POINTS) for _ in range(2))
    x, y = (metrics.per_item(P, Q, "multiclass", name) for name in FIGURE)
    return [{"x": a, "y": b} for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _described(names: Sequence[str]) -> list[dict[str, Any]]:
    return [{"name": name, "title": metrics.get(name).title} for name in names]


def _numbers(setting: str) -> tuple[float, float]:
    alpha, beta = (float(part) for part in setting.split(","))
    if not (alpha > 0 and beta > 0):
        raise AnalysisError(f"The concentrations are {setting}; expected two numbers above 0, such as 10,0.1.")
    return alpha, beta
