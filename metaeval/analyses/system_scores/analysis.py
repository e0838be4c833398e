"""What every metric says of every system: Kurniawan et al. (2025), Figures 2 to 4 and Table 7."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metaeval import metrics
from metaeval.analyses.base.measured import DescribedMetric, MeasuredValue
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Work
from metaeval.analyses.base.zero_division import VALUES
from metaeval.analyses.inputs import DatasetInputs, StudyInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.system_scores.parameters import SystemScores
from metaeval.analyses.system_scores.result import (
    RunsOfMetric,
    ScoredMethod,
    ScoredSystem,
    SystemScoresFindings,
    SystemScoresResult,
)
from metaeval.analyses.system_scores.tables import tables_of
from metaeval.metrics import DistributionError, MetricTable, MetricValue, WrongTaskError


@analysis(
    title="What do the metrics say of the systems?",
    subjects=["dataset", "study"],
    parameters=SystemScores,
    result=SystemScoresResult,
    figures=["score_map", "score_dots"],
    example={},
)
def system_scores(
    inputs: DatasetInputs | StudyInputs, parameters: SystemScores, seed: int, work: Work
) -> SystemScoresFindings:
    """Computes all metrics of all systems: means and standard deviations over runs, and differences from a baseline.

    The runs of a method are systems of one model and method. The standard deviation divides by runs - 1 and is
    undefined for one run. A difference is the method's mean minus the baseline's mean in the same model.
    """
    data = inputs.data if isinstance(inputs, StudyInputs) else inputs
    if not data.systems:
        raise AnalysisError(f"The dataset {data.slug} has no systems. Import predictions.")
    _check_baseline(data, parameters.baseline)
    chosen = _metrics(data, parameters.metrics)
    work.stage("Metrics")
    try:
        table = metrics.compute(
            data.P,
            data.Q,
            data.task,
            chosen,
            zero_division=VALUES[parameters.zero_division],
            labels=data.labels,
            progress=lambda done, total: work.step(done, total, f"Metrics: {done} of {total} systems"),
        )
    except DistributionError as error:
        raise AnalysisError(f"The metrics cannot be computed: {error}.") from error
    groups = _groups(data, table, chosen, parameters.baseline)
    described = [DescribedMetric.named(name) for name in chosen]
    systems = [
        ScoredSystem(
            system=name,
            model=origin["model"],
            method=origin["method"],
            run=origin["run"],
            metrics={metric: MeasuredValue.from_found(value) for metric, value in table[name].items()},
        )
        for name, origin in zip(data.systems, data.origins, strict=True)
    ]
    work.step(1, 1)
    return SystemScoresFindings(
        metrics=described,
        baseline=parameters.baseline,
        groups=groups,
        systems=systems,
        tables=tables_of(described, groups, systems, baseline=parameters.baseline),
        exclusions=[
            Exclusion(what="system", system=system, metric=name, count=1, reason=value.reason)
            for system in data.systems
            for name, value in table[system].items()
            if not value.is_defined
        ],
    )


def _check_baseline(data: DatasetInputs, baseline: str | None) -> None:
    known = sorted({origin["method"] for origin in data.origins if origin["method"]})
    if baseline is not None and baseline not in known:
        raise AnalysisError(
            f"No system has the method {baseline!r}. Methods: {', '.join(known) or 'none is named'}.", methods=known
        )


def _metrics(data: DatasetInputs, names: Sequence[str]) -> tuple[str, ...]:
    task = metrics.checked_task(data.task)
    try:
        found = metrics.select(task, names) if names else (*metrics.defaults(task), *metrics.available(task))
    except WrongTaskError as error:
        raise AnalysisError(f"{error}.") from error
    return tuple(dict.fromkeys(entry.name for entry in found))  # the six of the task come first


def _groups(data: DatasetInputs, table: MetricTable, chosen: Sequence[str], baseline: str | None) -> list[ScoredMethod]:
    """One entry a model and method: its mean, deviation and difference by every metric."""
    members: dict[tuple[str, str], list[str]] = {}
    for name, origin in zip(data.systems, data.origins, strict=True):
        members.setdefault((origin["model"], origin["method"]), []).append(name)
    values = {
        (key, metric): [table[name][metric] for name in names] for key, names in members.items() for metric in chosen
    }
    return [
        ScoredMethod(
            model=model,
            method=method,
            runs=len(names),
            metrics={
                metric: _summary(
                    values[(model, method), metric], values.get(((model, baseline or ""), metric)), baseline
                )
                for metric in chosen
            },
        )
        for (model, method), names in members.items()
    ]


def _summary(
    values: Sequence[MetricValue], compared: Sequence[MetricValue] | None, baseline: str | None
) -> RunsOfMetric:
    """Mean and standard deviation of the runs in which the metric is defined, and the difference of the means."""
    mean, known = _mean(values)
    reason = "" if known else values[0].reason
    deviation = float(np.std([value for value in values if math.isfinite(value)], ddof=1)) if known > 1 else math.nan
    base, _ = _mean(compared) if baseline and compared else (math.nan, 0)
    return RunsOfMetric(
        mean=mean,
        deviation=deviation,
        runs=known,
        difference=mean - base if baseline else math.nan,
        reason=reason,
        deviation_reason="" if known > 1 else "fewer than two runs",
        difference_reason=_no_difference(compared, mean - base, baseline),
    )


def _no_difference(compared: Sequence[MetricValue] | None, difference: float, baseline: str | None) -> str:
    if baseline is None:
        return "no baseline was named"
    if compared is None:
        return f"the model has no system of the method {baseline}"
    return "" if math.isfinite(difference) else "one of the two means is undefined"


def _mean(values: Sequence[MetricValue]) -> tuple[float, int]:
    known = [value for value in values if math.isfinite(value)]
    return (float(np.mean(known)) if known else math.nan), len(known)
