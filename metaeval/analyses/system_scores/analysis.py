"""Every metric for every system: Kurniawan et al. (2026), Figures 2 to 4 and Table 7."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

import numpy as np

from metaeval import metrics
from metaeval.analyses.base.measured import DescribedMetric, MeasuredValue
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Work
from metaeval.analyses.base.zero_division import VALUES
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs, StudyInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.system_scores.parameters import SystemScores
from metaeval.analyses.system_scores.ranking import Place, constant_groups, ranked_methods
from metaeval.analyses.system_scores.result import (
    RunsOfMetric,
    ScoredMethod,
    ScoredSystem,
    SystemScoresFindings,
    SystemScoresResult,
)
from metaeval.analyses.system_scores.tables import tables_of
from metaeval.analyses.system_scores.wording import WORDS
from metaeval.metrics import DistributionError, MetricTable, MetricValue, WrongTaskError


@analysis(
    title="What do the metrics say about the systems?",
    subjects=["dataset", "study", "datasets"],
    parameters=SystemScores,
    result=SystemScoresResult,
    figures=["score_map", "score_dots", "score_ranks"],
    version=2,
    example={},
    words=WORDS,
)
def system_scores(
    inputs: DatasetInputs | StudyInputs | DatasetsInputs, parameters: SystemScores, seed: int, work: Work
) -> SystemScoresFindings:
    """Computes all metrics for all systems: means and standard deviations over runs, and differences from a baseline.

    The runs of a method are systems of one model and method. The standard deviation divides by runs - 1 and is
    undefined for one run. A difference is the method's mean minus the baseline's mean in the same model. Methods are
    ordered by their mean rank over datasets, models and metrics (Kurniawan et al. 2026, Figures 1 to 4).
    """
    several = isinstance(inputs, DatasetsInputs)
    datasets = list(inputs.datasets) if isinstance(inputs, DatasetsInputs) else [_dataset(inputs)]
    for data in datasets:
        if not data.systems:
            raise AnalysisError(f"The dataset {data.slug} has no systems. Import predictions.")
    _check_baseline({origin["method"] for data in datasets for origin in data.origins}, parameters.baseline)
    chosen = _metrics(datasets, parameters.metrics)
    described = [DescribedMetric.named(name) for name in chosen]
    groups: list[ScoredMethod] = []
    systems: list[ScoredSystem] = []
    exclusions: list[Exclusion] = []
    constant: set[Place] = set()
    work.stage("Metrics")
    for number, data in enumerate(datasets):
        name = data.slug if several else ""
        table = _computed(data, chosen, parameters, work, before=number / len(datasets), share=1 / len(datasets))
        groups += _groups(data, table, chosen, parameters.baseline, name)
        systems += _systems(data, table, name)
        exclusions += _exclusions(data, table, name)
        constant |= constant_groups(data, name)
    ranks = ranked_methods(groups, described, constant)
    work.step(1, 1)
    return SystemScoresFindings(
        metrics=described,
        baseline=parameters.baseline,
        groups=groups,
        systems=systems,
        datasets=[data.slug for data in datasets] if several else [],
        ranks=ranks,
        tables=tables_of(described, groups, systems, ranks, baseline=parameters.baseline),
        exclusions=exclusions,
    )


def _dataset(inputs: DatasetInputs | StudyInputs) -> DatasetInputs:
    return inputs.data if isinstance(inputs, StudyInputs) else inputs


def _computed(
    data: DatasetInputs, chosen: Sequence[str], parameters: SystemScores, work: Work, *, before: float, share: float
) -> MetricTable:
    """The metrics of a dataset, which is one of several parts of the work."""

    def step(done: int, total: int) -> None:
        part = round(1000 * (before + share * done / total))
        work.step(part, 1000, f"Metrics: {done} of {total} systems of {data.slug}")

    try:
        return metrics.compute(
            data.P,
            data.Q,
            data.task,
            chosen,
            zero_division=VALUES[parameters.zero_division],
            labels=data.labels,
            absent="leave out",
            progress=step,
        )
    except DistributionError as error:
        raise AnalysisError(f"The metrics of {data.slug} cannot be computed: {error}.") from error


def _systems(data: DatasetInputs, table: MetricTable, dataset: str) -> list[ScoredSystem]:
    return [
        ScoredSystem(
            system=name,
            model=origin["model"],
            method=origin["method"],
            run=origin["run"],
            metrics={metric: MeasuredValue.from_found(value) for metric, value in table[name].items()},
            dataset=dataset,
        )
        for name, origin in zip(data.systems, data.origins, strict=True)
    ]


def _exclusions(data: DatasetInputs, table: MetricTable, dataset: str) -> list[Exclusion]:
    found = data.absences(data.systems) + [
        Exclusion(what="system", system=system, metric=name, count=1, reason=value.reason)
        for system in data.systems
        for name, value in table[system].items()
        if not value.is_defined
    ]
    return [one.model_copy(update={"dataset": dataset}) for one in found] if dataset else found


def _check_baseline(methods: Set[str], baseline: str | None) -> None:
    known = sorted(methods - {""})
    if baseline is not None and baseline not in known:
        raise AnalysisError(
            f"No system has the method {baseline!r}. Methods: {', '.join(known) or 'none is named'}.", methods=known
        )


def _metrics(datasets: Sequence[DatasetInputs], names: Sequence[str]) -> tuple[str, ...]:
    """The named metrics, or all that are defined for the tasks of all datasets."""
    of_tasks = []
    for task in dict.fromkeys(metrics.checked_task(data.task) for data in datasets):
        try:
            found = metrics.select(task, names) if names else (*metrics.defaults(task), *metrics.available(task))
        except WrongTaskError as error:
            raise AnalysisError(f"{error}.") from error
        of_tasks.append(dict.fromkeys(entry.name for entry in found))  # the six of the task come first
    return tuple(name for name in of_tasks[0] if all(name in others for others in of_tasks))


def _groups(
    data: DatasetInputs, table: MetricTable, chosen: Sequence[str], baseline: str | None, dataset: str
) -> list[ScoredMethod]:
    """One entry per model and method: its mean, deviation and difference by every metric."""
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
            dataset=dataset,
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
