"""How metrics relate over the systems of a dataset."""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Matrix
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.base.work import Work
from metaeval.analyses.base.zero_division import VALUES
from metaeval.analyses.inputs import DatasetInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.metric_relationship.parameters import MetricRelationship
from metaeval.analyses.metric_relationship.relations import FIGURE, chosen_metrics, relations
from metaeval.analyses.metric_relationship.result import (
    MetricRelationshipFindings,
    NamedMetric,
    PointOfMetrics,
    RelationsInSetting,
)
from metaeval.analyses.metric_relationship.tables import relations_table
from metaeval.metrics import DistributionError, MetricTable


def of_systems(data: DatasetInputs, parameters: MetricRelationship, work: Work) -> MetricRelationshipFindings:
    """Correlations over systems; a system for which one of two metrics is undefined does not count for them."""
    if len(data.systems) < 3:
        raise AnalysisError(
            f"The dataset {data.slug} has {len(data.systems)} system(s); a correlation over systems needs at least 3."
        )
    names = chosen_metrics(data.task, parameters.metrics or None)
    work.stage("Metrics")
    table = _computed(data, names, parameters, work)
    values = np.column_stack([table.of(name) for name in names])
    found = [
        RelationsInSetting(
            setting="Systems",
            alpha=None,
            beta=None,
            labels=len(data.labels),
            relations=relations(names, values, parameters.coefficient, "system"),
        )
    ]
    shown = FIGURE if set(FIGURE) <= set(names) else names[:2]
    work.step(1, 1)
    named = [NamedMetric.of(name) for name in names]
    return MetricRelationshipFindings(
        metrics=named,
        settings=found,
        points=_points(data, values[:, [names.index(name) for name in shown]]),
        point_metrics=[NamedMetric.of(name) for name in shown],
        tables=[relations_table(found, named, parameters.coefficient)],
        exclusions=data.absences(data.systems)
        + [
            Exclusion(what="system", system=system, metric=name, count=1, reason=value.reason)
            for system in data.systems
            for name, value in table[system].items()
            if not value.is_defined
        ],
    )


def _computed(data: DatasetInputs, names: tuple[str, ...], parameters: MetricRelationship, work: Work) -> MetricTable:
    try:
        return metrics.compute(
            data.P,
            data.Q,
            data.task,
            names,
            zero_division=VALUES[parameters.zero_division],
            labels=data.labels,
            absent="leave out",
            progress=lambda done, total: work.step(done, total, f"Metrics: {done} of {total} systems"),
        )
    except DistributionError as error:
        raise AnalysisError(f"The metrics cannot be computed: {error}.") from error


def _points(data: DatasetInputs, values: Matrix) -> list[PointOfMetrics]:
    """The systems for which both metrics (systems, 2) are defined."""
    return [
        PointOfMetrics(x=x, y=y, system=name, model=origin["model"])
        for (x, y), name, origin in zip(values.tolist(), data.systems, data.origins, strict=True)
        if np.isfinite([x, y]).all()
    ]
