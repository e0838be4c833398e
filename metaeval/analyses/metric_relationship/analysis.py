"""How metrics relate to one another: Kurniawan et al. (2026), Table 2 and Figure 1, and the same on real systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from annotations.ground.arrays import Matrix
from metaeval import metrics
from metaeval.analyses.base.parameters import ZERO_DIVISION, MetricNames, Parameters, ZeroDivision, choices
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Purpose, Work, root_stream
from metaeval.analyses.inputs import DatasetInputs, NoInputs, SubjectKind
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.metric_relationship.result import (
    FIGURE,
    BinaryCurve,
    MetricRelationshipFindings,
    MetricRelationshipResult,
    NamedMetric,
    PointOfMetrics,
    RelationOfMetrics,
    RelationsInSetting,
    answer,
    relations_table,
)
from metaeval.metrics import DistributionError, WrongTaskError
from metaeval.metrics.relationship import METRICS, relationship_plan
from metaeval.sampling import stream
from metaeval.stats import Coefficient, correlation
from metaeval.stats.correlating.coefficients import is_constant

Setting = Annotated[str, Field(pattern=r"^[0-9]*\.?[0-9]+,[0-9]*\.?[0-9]+$")]
Labels = Annotated[int, Field(ge=2, le=1000)]


class MetricRelationship(Parameters):
    """Parameters of `metric_relationship`."""

    metrics: MetricNames = Field(default=[], title="Metrics", json_schema_extra=choices("metrics"))
    """Names of the metrics. The default is the four of Table 2 in a simulation, and the six of the task for a
    dataset."""
    coefficient: Coefficient = Field(default="pearson", title="Coefficient")
    """Which correlation to compute."""
    # not “settings”, which Django removes from every command line
    concentrations: list[Setting] = Field(
        default=["10,10", "0.1,0.1", "10,0.1", "0.1,10"], min_length=1, max_length=20, title="Concentrations"
    )
    """For a simulation: alpha,beta of the Dirichlet distributions of people and of systems."""
    label_counts: list[Labels] = Field(default=[10, 100], min_length=1, max_length=10, title="Labels")
    """For a simulation: how many labels there are."""
    pairs: int = Field(default=500, ge=3, le=100_000, title="Pairs")
    """For a simulation: how many datasets are drawn."""
    instances: int = Field(default=1000, ge=2, le=100_000, title="Instances")
    """For a simulation: how many instances each of these datasets has."""
    zero_division: ZeroDivision = Field(default="1", title="Count 0/0 as")
    """For a dataset: the F1 of a label that nobody uses."""


Over = Literal["simulated pair", "system"]
"""What a row of metrics' values is."""

RANDOM_POINTS, POINT_LABELS = 1000, 3
"""Of Figure 1."""
CURVE_POINTS, SHARES_OF_PEOPLE = 101, (0.5, 0.7, 0.9, 1.0)


@analysis(
    title="How do metrics relate to one another?",
    subjects=["nothing", "dataset"],
    parameters=MetricRelationship,
    result=MetricRelationshipResult,
    figures=["relationship_map", "relationship_points", "relationship_binary"],
    example={"pairs": 8, "instances": 40, "label_counts": [4], "concentrations": ["10,10", "0.1,10"]},
    words=PlainWords(
        question="Do the metrics measure the same thing?",
        group="The metrics",
        shows="The correlation between every two metrics, which shows which of them measure the same thing. "
        "It needs the predictions of three systems, or nothing at all for a simulation.",
        place=10,
        needs={SubjectKind.DATASET: ("three systems",)},
        compared=("metrics", "label_counts", "concentrations"),
        statistics=("coefficient", "pairs", "instances"),
        answer=answer,
    ),
)
def metric_relationship(
    inputs: NoInputs | DatasetInputs, parameters: MetricRelationship, seed: int, work: Work
) -> MetricRelationshipFindings:
    """Correlates metrics with one another: over simulated pairs of distributions, or over the systems of a dataset.

    In a simulation, P_i ~ Dirichlet(alpha, ..., alpha) and Q_i ~ Dirichlet(beta, ..., beta); the standard error of a
    coefficient r is about (1 - r^2) / sqrt(pairs).
    """
    if isinstance(inputs, DatasetInputs):
        return _over_systems(inputs, parameters, work)
    return _over_simulated_pairs(parameters, seed, work)


def _over_simulated_pairs(parameters: MetricRelationship, seed: int, work: Work) -> MetricRelationshipFindings:
    """Table 2 and Figure 1. Every setting has its own pairs, which do not depend on the settings after it."""
    names = _metric_names("multiclass", parameters.metrics or METRICS)
    root = root_stream(seed, Purpose.METRIC_RELATIONSHIP)
    settings = [
        (*_concentrations(setting), labels)
        for setting in dict.fromkeys(parameters.concentrations)
        for labels in parameters.label_counts
    ]
    work.stage("Simulating")
    replicates = work.run(
        {
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
    )
    return _findings(
        names,
        [
            RelationsInSetting(
                setting=f"α = {alpha:g}, β = {beta:g}",
                alpha=alpha,
                beta=beta,
                labels=labels,
                relations=_relations(names, replicates[f"{number}"], parameters.coefficient, "simulated pair"),
            )
            for number, (alpha, beta, labels) in enumerate(settings)
        ],
        parameters,
        points=_random_points(stream(root, len(settings))),
        point_metrics=FIGURE,
        binary=_binary_curves(names),
    )


def _concentrations(setting: str) -> tuple[float, float]:
    alpha, beta = (float(part) for part in setting.split(","))
    if not (alpha > 0 and beta > 0):
        raise AnalysisError(f"The concentrations are {setting}; expected two numbers above 0, such as 10,0.1.")
    return alpha, beta


def _random_points(seed: np.random.SeedSequence) -> list[PointOfMetrics]:
    """Figure 1: random pairs of distributions over three labels."""
    rng = np.random.default_rng(seed)
    P, Q = (rng.dirichlet(np.ones(POINT_LABELS), RANDOM_POINTS) for _ in range(2))
    x, y = (metrics.per_item(P, Q, "multiclass", name) for name in FIGURE)
    return [PointOfMetrics(x=a, y=b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _binary_curves(names: Sequence[str]) -> list[BinaryCurve]:
    """What each metric rewards in the smallest case: [p, 1 - p] against [q, 1 - q], as q goes from 0 to 1.

    One curve for each share p of people; of equal probabilities, the first label counts as the largest.
    """
    entries = [entry for entry in map(metrics.get, names) if entry.works_per_item]
    q = np.arange(CURVE_POINTS) / (CURVE_POINTS - 1)
    predicted = np.column_stack([q, 1 - q])
    return [
        BinaryCurve(
            metric=entry.name,
            lower_is_better=entry.orientation == "lower",
            people=p,
            values=metrics.per_item(
                np.tile([p, 1 - p], (CURVE_POINTS, 1)), predicted, "multiclass", entry.name
            ).tolist(),
        )
        for p in SHARES_OF_PEOPLE
        for entry in entries
    ]


def _over_systems(data: DatasetInputs, parameters: MetricRelationship, work: Work) -> MetricRelationshipFindings:
    """Correlations over systems; a system for which one of two metrics is undefined does not count for them."""
    if len(data.systems) < 3:
        raise AnalysisError(
            f"The dataset {data.slug} has {len(data.systems)} system(s); a correlation over systems needs at least 3."
        )
    names = _metric_names(data.task, parameters.metrics or None)
    work.stage("Metrics")
    try:
        table = metrics.compute(
            data.P,
            data.Q,
            data.task,
            names,
            zero_division=ZERO_DIVISION[parameters.zero_division],
            labels=data.labels,
            absent="leave out",
            progress=lambda done, total: work.step(done, total, f"Metrics: {done} of {total} systems"),
        )
    except DistributionError as error:
        raise AnalysisError(f"The metrics cannot be computed: {error}.") from error
    values = np.column_stack([table.of(name) for name in names])
    relations = _relations(names, values, parameters.coefficient, "system")
    shown = FIGURE if set(FIGURE) <= set(names) else names[:2]
    work.step(1, 1)
    return _findings(
        names,
        [RelationsInSetting(setting="Systems", alpha=None, beta=None, labels=len(data.labels), relations=relations)],
        parameters,
        points=[
            PointOfMetrics(x=x, y=y, system=name, model=origin["model"])
            for x, y, name, origin in zip(
                *(table.of(name).tolist() for name in shown), data.systems, data.origins, strict=True
            )
            if np.isfinite([x, y]).all()
        ],
        point_metrics=shown,
        exclusions=data.absences(data.systems)
        + [
            Exclusion(what="system", system=system, metric=name, count=1, reason=value.reason)
            for system in data.systems
            for name, value in table[system].items()
            if not value.is_defined
        ],
    )


def _findings(
    names: Sequence[str],
    settings: list[RelationsInSetting],
    parameters: MetricRelationship,
    *,
    points: list[PointOfMetrics],
    point_metrics: Sequence[str],
    binary: Sequence[BinaryCurve] = (),
    exclusions: Sequence[Exclusion] = (),
) -> MetricRelationshipFindings:
    related = [NamedMetric.of(name) for name in names]
    return MetricRelationshipFindings(
        metrics=related,
        settings=settings,
        points=points,
        point_metrics=[NamedMetric.of(name) for name in point_metrics],
        binary=list(binary),
        tables=[relations_table(settings, related, parameters.coefficient)],
        exclusions=list(exclusions),
    )


def _metric_names(task: str, names: Sequence[str] | None) -> tuple[str, ...]:
    """The names of these metrics, or of the task's six; `AnalysisError` if there are fewer than two."""
    try:
        chosen = tuple(entry.name for entry in metrics.select(metrics.checked_task(task), names))
    except WrongTaskError as error:
        raise AnalysisError(f"{error}.") from error
    if len(chosen) < 2:
        raise AnalysisError("A relationship needs two metrics; name at least 2.")
    return chosen


def _relations(names: Sequence[str], values: Matrix, coefficient: Coefficient, over: Over) -> list[RelationOfMetrics]:
    """Every pair of metrics, over the rows of `values` (rows, metrics) in which both are defined."""
    relations = []
    for i, j in combinations(range(len(names)), 2):
        defined = values[np.isfinite(values[:, [i, j]]).all(axis=1)][:, [i, j]]
        n = len(defined)
        value = error = math.nan
        if n < 3:
            reason = f"both are defined for {n} {over}(s) only"
        else:
            estimate = correlation(defined[:, 0], defined[:, 1], coefficient)
            value, reason = estimate.value, estimate.reason
            error = (1 - value**2) / math.sqrt(n) if over == "simulated pair" else math.nan
            constant = [
                name for name, column in zip((names[i], names[j]), defined.T, strict=True) if is_constant(column)
            ]
            if constant:
                reason = f"{metrics.get(constant[0]).title} is the same for every {over}"
        relations.append(
            RelationOfMetrics(
                a=names[i], b=names[j], n=n, left_out=len(values) - n, value=value, error=error, reason=reason
            )
        )
    return relations
