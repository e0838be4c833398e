"""Every metric for every system: Kurniawan et al. (2026), Figures 1 to 4 and Table 7; and the runs that collapsed
(section 5.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from annotations.ground.arrays import Vector, absent_rows
from annotations.ground.errors import naming
from metaeval import metrics
from metaeval.analyses.base.parameters import (
    ZERO_DIVISION,
    AllThereWas,
    Level,
    MetricNames,
    Parameters,
    ZeroDivision,
    choices,
)
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.result import DescribedMetric, MeasuredValue
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs, StudyInputs, SubjectKind
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.system_scores.result import (
    NEGLIGIBLE,
    Collapse,
    CollapsedMethod,
    ComparedMetric,
    RankedMethod,
    RunsOfMetric,
    ScoredMethod,
    ScoredSystem,
    SystemScoresFindings,
    SystemScoresResult,
    answer,
    tables_of,
)
from metaeval.metrics import DistributionError, MetricTable, MetricValue, WrongTaskError
from metaeval.metrics.pair import Task
from metaeval.stats import mean_ranks
from metaeval.stats.correlating.coefficients import is_constant as is_constant_column
from metaeval.stats.welch import mean_difference, standard_deviation


class SystemScores(Parameters):
    """Parameters of `system_scores`."""

    metrics: Annotated[MetricNames, AllThereWas("metrics")] = Field(
        default=[], title="Metrics", json_schema_extra=choices("metrics")
    )
    """Names of the metrics; if none are named, all that the task has."""
    baseline: str | None = Field(default=None, title="Baseline", json_schema_extra=choices("methods"))
    """The method whose mean is subtracted within each model; if none is named, no differences are shown."""
    level: Level = 0.95
    zero_division: ZeroDivision = Field(default="1", title="Count 0/0 as")
    """The F1 of a label that neither people nor the system use."""


PAIRS = (("accuracy", "micro_f1"), ("soft_accuracy", "soft_micro_f1"))
"""The metrics that Kurniawan et al. (2026) put into one column: for one label per text, and for several labels."""
MULTILABEL: Task = "multilabel"
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
    words=PlainWords(
        question="Which system is best by the metrics?",
        group="The systems",
        shows="Every system’s value by every metric, and the methods by their mean rank. It needs predictions of "
        "systems; no expert has to answer for it.",
        place=0,
        needs={SubjectKind.STUDY: ("systems",), SubjectKind.DATASET: ("systems",)},
        compared=("metrics", "baseline"),
        answer=answer,
    ),
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
    if isinstance(inputs, DatasetsInputs):
        datasets = list(inputs.datasets)
    else:
        datasets = [inputs.data if isinstance(inputs, StudyInputs) else inputs]
    for data in datasets:
        if not data.systems:
            raise AnalysisError(f"The dataset {data.slug} has no systems. Import predictions.")
    methods = sorted({origin["method"] for data in datasets for origin in data.origins} - {""})
    if parameters.baseline is not None and parameters.baseline not in methods:
        raise AnalysisError(
            f"No system has the method {parameters.baseline!r}. Methods: {', '.join(methods) or 'none is named'}.",
            methods=methods,
        )
    compared = _compared_metrics([data.task for data in datasets], parameters.metrics)
    groups: list[ScoredMethod] = []
    systems: list[ScoredSystem] = []
    exclusions: list[Exclusion] = []
    constant: set[Place] = set()
    work.stage("Metrics")
    for number, data in enumerate(datasets):
        name = data.slug if several else ""
        names = {metric.name: _name_for(metric, data.task) for metric in compared}
        with naming(f"dataset {data.slug}"):
            table = _computed(
                data, [*names.values()], parameters, work, before=number / len(datasets), share=1 / len(datasets)
            )
        groups += _groups(data, table, names, parameters, name)
        systems += _systems(data, table, names, name)
        exclusions += _exclusions(data, table, name)
        constant |= constant_groups(data, name)
    ranks = ranked_methods(groups, compared, constant)
    work.step(1, 1)
    findings = SystemScoresFindings(
        metrics=compared,
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
    return findings.model_copy(update={"tables": tables_of(findings)})


def _compared_metrics(tasks: Iterable[str], names: Sequence[str]) -> list[ComparedMetric]:
    """The named metrics, or all that the tasks of all datasets have; the six of the tasks come first.

    If some texts have one label and others several, each of the `PAIRS` is one column.
    """
    kinds = list(dict.fromkeys(metrics.checked_task(task) for task in tasks))
    if MULTILABEL not in kinds or len(kinds) == 1:
        return [ComparedMetric.named(name) for name in _shared(kinds, names)]
    if names:
        compared = [_paired(name, kinds) for name in names]
    else:
        one_label = next(kind for kind in kinds if kind != MULTILABEL)
        compared = [_paired(entry.name, kinds) for entry in metrics.defaults(one_label)]
        compared += [ComparedMetric.named(name) for name in _shared(kinds, names)]
    # Each once, and none that a pair has: soft micro F1 of one label per text is soft accuracy.
    unique: dict[str, ComparedMetric] = {}
    for metric in compared:
        unique.setdefault(metric.name, metric)
    in_pairs = {metric.multilabel for metric in unique.values()}
    return [metric for metric in unique.values() if metric.name not in in_pairs]


def _name_for(metric: ComparedMetric, task: str) -> str:
    """The metric of a column for a dataset with this kind of task.

    >>> _name_for(_compared_metrics(["multiclass", "multilabel"], ["accuracy"])[0], "multilabel")
    'micro_f1'
    """
    return metric.multilabel if metric.multilabel and task == MULTILABEL else metric.name


def _shared(kinds: Sequence[Task], names: Sequence[str]) -> list[str]:
    """The named metrics, or all that are defined for all these tasks."""
    of_tasks = []
    for kind in kinds:
        try:
            entries = metrics.select(kind, names) if names else (*metrics.defaults(kind), *metrics.available(kind))
        except WrongTaskError as error:
            raise AnalysisError(f"{error}.") from error
        of_tasks.append(dict.fromkeys(entry.name for entry in entries))  # the six of the task come first
    return [name for name in of_tasks[0] if all(name in others for others in of_tasks)]


def _paired(name: str, kinds: Sequence[Task]) -> ComparedMetric:
    """The metric, with its counterpart where it is not defined for all tasks itself."""
    if all(kind in metrics.get(name).tasks for kind in kinds):
        return ComparedMetric.named(name)
    pair = next((pair for pair in PAIRS if name in pair), None)
    if pair is None:
        return ComparedMetric.named(*_shared(kinds, [name]))  # says for which task it is not defined
    first, second = map(metrics.get, pair)
    title = f"{first.title} or {second.title[:1].lower()}{second.title[1:]}"
    return ComparedMetric.named(first.name).model_copy(update={"title": title, "multilabel": second.name})


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
            zero_division=ZERO_DIVISION[parameters.zero_division],
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
            collapse=collapsed[name],
        )
        for name, origin in zip(data.systems, data.origins, strict=True)
    ]


def _exclusions(data: DatasetInputs, table: MetricTable, dataset: str) -> list[Exclusion]:
    exclusions = data.absences(data.systems) + [
        Exclusion(what="system", system=system, metric=name, count=1, reason=value.reason)
        for system in data.systems
        for name, value in table[system].items()
        if not value.is_defined
    ]
    if not dataset:
        return exclusions
    return [exclusion.model_copy(update={"dataset": dataset}) for exclusion in exclusions]


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
    values_of_baseline: Sequence[MetricValue] | None,
    baseline: str | None,
    *,
    level: float,
    is_baseline: bool,
) -> RunsOfMetric:
    """Mean and standard deviation of the runs in which the metric is defined, and the difference of the means: each run
    minus the mean of the baseline's runs, averaged."""
    defined = _defined(values)
    base = _defined(values_of_baseline or []) if baseline else []
    compared = mean_difference(defined, base, confidence_level=level) if defined and base else None
    difference = compared.value if compared else math.nan
    no_difference = ""
    if baseline is None:
        no_difference = "no baseline was named"
    elif values_of_baseline is None:
        no_difference = f"the model has no system of the method {baseline}"
    elif not math.isfinite(difference):
        no_difference = "one of the two means is undefined"
    no_interval = no_difference or (IS_THE_BASELINE if is_baseline else compared.reason if compared else "")
    return RunsOfMetric(
        mean=float(np.mean(defined)) if defined else math.nan,
        deviation=standard_deviation(np.array(defined)),
        runs=len(defined),
        difference=difference,
        reason="" if defined else values[0].reason,
        deviation_reason="" if len(defined) > 1 else ONE_RUN,
        difference_reason=no_difference,
        low=compared.low if compared and not no_interval else math.nan,
        high=compared.high if compared and not no_interval else math.nan,
        interval_reason=no_interval,
    )


def _defined(values: Sequence[MetricValue]) -> list[float]:
    return [float(value) for value in values if math.isfinite(value)]


Place = tuple[str, str, str]
"""Dataset, model, method."""
NAMELESS = "no method named"
"""For systems without a method, beside others with one."""


def collapses(data: DatasetInputs) -> dict[str, Collapse]:
    """How each system of a dataset collapsed, by its name: it predicts no label for any text, or the same for every one
    (Kurniawan et al. 2026, section 5.2); empty for those that did not."""
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
