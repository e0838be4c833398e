"""How metrics relate over simulated pairs of distributions: Table 2 and Figure 1."""

from __future__ import annotations

import numpy as np

from metaeval import metrics
from metaeval.analyses.base import seeding
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.base.work import Work
from metaeval.analyses.metric_relationship.binary_curves import binary_curves
from metaeval.analyses.metric_relationship.parameters import MetricRelationship
from metaeval.analyses.metric_relationship.relations import FIGURE, chosen_metrics, relations
from metaeval.analyses.metric_relationship.result import (
    MetricRelationshipFindings,
    NamedMetric,
    PointOfMetrics,
    RelationsInSetting,
)
from metaeval.analyses.metric_relationship.tables import relations_table
from metaeval.metrics.relationship import METRICS, relationship_plan
from metaeval.sampling import stream

POINTS, POINT_LABELS = 1000, 3


def of_simulated_pairs(parameters: MetricRelationship, seed: int, work: Work) -> MetricRelationshipFindings:
    """Every setting has its own pairs, which do not depend on the settings after it."""
    names = chosen_metrics("multiclass", parameters.metrics or METRICS)
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
        RelationsInSetting(
            setting=f"α = {alpha:g}, β = {beta:g}",
            alpha=alpha,
            beta=beta,
            labels=labels,
            relations=relations(names, replicates[f"{number}"], parameters.coefficient, "simulated pair"),
        )
        for number, (alpha, beta, labels) in enumerate(settings)
    ]
    named = [NamedMetric.of(name) for name in names]
    return MetricRelationshipFindings(
        metrics=named,
        settings=found,
        points=_random_points(stream(root, len(settings))),
        point_metrics=[NamedMetric.of(name) for name in FIGURE],
        binary=binary_curves(names),
        tables=[relations_table(found, named, parameters.coefficient)],
    )


def _random_points(seed: np.random.SeedSequence) -> list[PointOfMetrics]:
    """Figure 1: random pairs of distributions over three labels."""
    rng = np.random.default_rng(seed)
    P, Q = (rng.dirichlet(np.ones(POINT_LABELS), POINTS) for _ in range(2))
    x, y = (metrics.per_item(P, Q, "multiclass", name) for name in FIGURE)
    return [PointOfMetrics(x=a, y=b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _numbers(setting: str) -> tuple[float, float]:
    alpha, beta = (float(part) for part in setting.split(","))
    if not (alpha > 0 and beta > 0):
        raise AnalysisError(f"The concentrations are {setting}; expected two numbers above 0, such as 10,0.1.")
    return alpha, beta
