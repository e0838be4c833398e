"""Every metric for every system: Kurniawan et al. (2026), Figures 2 to 4 and Table 7."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set

import numpy as np

from annotations.ground.errors import naming
from metaeval import metrics
from metaeval.analyses.base.measured import MeasuredValue
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Work
from metaeval.analyses.base.zero_division import VALUES
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs, StudyInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.system_scores.choosing import chosen_metrics, name_for
from metaeval.analyses.system_scores.collapse import collapsed_methods, collapses
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
from metaeval.metrics import DistributionError, MetricTable, MetricValue
from metaeval.stats.welch import MeanDifference, mean_difference, standard_deviation

IS_THE_BASELINE = "it is the baseline"
ONE_RUN = "fewer than two runs"


@analysis(
    title="What do the metrics say about the systems?",
    subjects=["dataset", "study", "datasets"],
    parameters=SystemScores,
    result=SystemScoresResult,
    figures=["score_differences", "score_map", "score_dots", "score_ranks"],
    version=3,
    example={},
    words=WORDS,
)
def system_scores(
    inputs: DatasetInputs | StudyInputs | DatasetsInputs, parameters: SystemScores, seed: int, work: Work
) -> SystemScoresFindings:
    """Computes all metrics for all systems: means and standard deviations over runs, and differences from a baseline.

    The runs of a method are systems of one model and method. The standard deviation divides by runs - 1 and is
    undefined for one run. A difference is the mean over the runs of each run minus the mean of the baseline's runs in
    the same model, with Welch's interval over runs. Methods are ordered by their mean rank over datasets, models and
    metrics (Kurniawan et al. 2026, section 5.1, Figures 1 to 4). Runs that predict nothing, or always the same, are
    named.
    """
    several = isinstance(inputs, DatasetsInputs)
    datasets = list(inputs.datasets) if isinstance(inputs, DatasetsInputs) else [_dataset(inputs)]
    for data in datasets:
        if not data.systems:
            raise AnalysisError(f"The dataset {data.slug} has no systems. Import predictions.")
    _check_baseline({origin["method"] for data in datasets for origin in data.origins}, parameters.baseline)
    described = chosen_metrics([data.task for data in datasets], parameters.metrics)
    groups: list[ScoredMethod] = []
    systems: list[ScoredSystem] = []
    exclusions: list[Exclusion] = []
    constant: set[Place] = set()
    work.stage("Metrics")
    for number, data in enumerate(datasets):
        name = data.slug if several else ""
        names = {metric.name: name_for(metric, data.task) for metric in described}
        with naming(f"dataset {data.slug}"):
            table = _computed(
                data, [*names.values()], parameters, work, before=number / len(datasets), share=1 / len(datasets)
            )
        groups += _groups(data, table, names, parameters, name)
        systems += _systems(data, table, names, name)
        exclusions += _exclusions(data, table, name)
        constant |= constant_groups(data, name)
    ranks = ranked_methods(groups, described, constant)
    work.step(1, 1)
    found = SystemScoresFindings(
        metrics=described,
        baseline=parameters.baseline,
        groups=groups,
        systems=systems,
        datasets=[data.slug for data in datasets] if several else [],
        ranks=ranks,
        level=parameters.level,
        collapsed=collapsed_methods(systems),
        tables=[],
        exclusions=exclusions,
    )
    return found.model_copy(update={"tables": tables_of(found)})


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


def _systems(data: DatasetInputs, table: MetricTable, names: Mapping[str, str], dataset: str) -> list[ScoredSystem]:
    """Every system; `names` says which metric of this dataset stands in each column."""
    collapsed = collapses(data)
    return [
        ScoredSystem(
            system=name,
            model=origin["model"],
            method=origin["method"],
            run=origin["run"],
            metrics={column: MeasuredValue.from_found(table[name][metric]) for column, metric in names.items()},
            dataset=dataset,
            collapse=collapsed.get(name, ""),
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


def _groups(
    data: DatasetInputs, table: MetricTable, names: Mapping[str, str], parameters: SystemScores, dataset: str
) -> list[ScoredMethod]:
    """One entry per model and method: its mean, deviation and difference by every metric."""
    members: dict[tuple[str, str], list[str]] = {}
    for name, origin in zip(data.systems, data.origins, strict=True):
        members.setdefault((origin["model"], origin["method"]), []).append(name)
    values = {
        (key, column): [table[name][metric] for name in runs]
        for key, runs in members.items()
        for column, metric in names.items()
    }
    baseline = parameters.baseline
    return [
        ScoredMethod(
            model=model,
            method=method,
            runs=len(runs),
            metrics={
                column: _summary(
                    values[(model, method), column],
                    values.get(((model, baseline or ""), column)),
                    baseline,
                    level=parameters.level,
                    is_baseline=method == baseline,
                )
                for column in names
            },
            dataset=dataset,
        )
        for (model, method), runs in members.items()
    ]


def _summary(
    values: Sequence[MetricValue],
    compared: Sequence[MetricValue] | None,
    baseline: str | None,
    *,
    level: float,
    is_baseline: bool,
) -> RunsOfMetric:
    """Mean and standard deviation of the runs in which the metric is defined, and the difference of the means."""
    known = _known(values)
    mean = float(np.mean(known)) if known else math.nan
    found = _difference(known, _known(compared or []), level) if baseline else None
    difference = found.value if found else math.nan
    missing = _no_difference(compared, difference, baseline)
    no_interval = missing or (found.reason if found else "")
    if is_baseline and not missing:
        no_interval = IS_THE_BASELINE
    return RunsOfMetric(
        mean=mean,
        deviation=standard_deviation(np.array(known)),
        runs=len(known),
        difference=difference,
        reason="" if known else values[0].reason,
        deviation_reason="" if len(known) > 1 else ONE_RUN,
        difference_reason=missing,
        low=found.low if found and not no_interval else math.nan,
        high=found.high if found and not no_interval else math.nan,
        interval_reason=no_interval,
    )


def _difference(known: Sequence[float], base: Sequence[float], level: float) -> MeanDifference | None:
    """Each run minus the mean of the baseline's runs, averaged, which is the difference of the means."""
    return mean_difference(known, base, confidence_level=level) if known and base else None


def _no_difference(compared: Sequence[MetricValue] | None, difference: float, baseline: str | None) -> str:
    if baseline is None:
        return "no baseline was named"
    if compared is None:
        return f"the model has no system of the method {baseline}"
    return "" if math.isfinite(difference) else "one of the two means is undefined"


def _known(values: Sequence[MetricValue]) -> list[float]:
    return [float(value) for value in values if math.isfinite(value)]
