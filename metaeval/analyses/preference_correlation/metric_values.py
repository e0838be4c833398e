"""Every metric's value of every system, on all instances or on those that experts judged."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from metaeval import metrics
from metaeval.analyses.base import zero_division
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import Responses, StudyInputs
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.metrics import DistributionError, MetricValue, WrongTaskError

Values = Mapping[str, Mapping[str, MetricValue]]
"""By system, then by metric."""


def metrics_of(study: StudyInputs, parameters: PreferenceCorrelation) -> tuple[str, ...]:
    """The names of the metrics that were asked for, or of those that the task has."""
    try:
        chosen = metrics.select(metrics.checked_task(study.task), parameters.metrics or None)
    except WrongTaskError as error:
        raise AnalysisError(f"{error}.") from error
    return tuple(entry.name for entry in chosen)


def metric_values(
    study: StudyInputs,
    responses: Responses,
    parameters: PreferenceCorrelation,
    chosen: tuple[str, ...],
    work: Work,
) -> Values:
    """The values by system; `AnalysisError` where the distributions do not allow them."""
    try:
        if parameters.instances == "all":
            return _on_all(study, parameters, chosen, work)
        return _on_shown(study, responses, parameters, chosen, work)
    except DistributionError as error:
        raise AnalysisError(f"The metrics cannot be computed: {error}.") from error


def _on_all(study: StudyInputs, parameters: PreferenceCorrelation, chosen: tuple[str, ...], work: Work) -> Values:
    table = metrics.compute(
        study.P,
        study.Q,
        study.task,
        chosen,
        zero_division=zero_division.VALUES[parameters.zero_division],
        labels=study.labels,
        progress=lambda done, total: _tell(work, done, total),
    )
    return {system: table[system] for system in study.systems}


def _on_shown(
    study: StudyInputs, responses: Responses, parameters: PreferenceCorrelation, chosen: tuple[str, ...], work: Work
) -> Values:
    """Each system on the instances on which experts judged it."""
    values: dict[str, Mapping[str, MetricValue]] = {}
    for place, system in enumerate(study.systems):
        _tell(work, place, len(study.systems))
        shown = np.unique(responses.instance[responses.system == place])
        if len(shown):
            table = metrics.compute(
                study.P[shown],
                {system: study.Q[system][shown]},
                study.task,
                chosen,
                zero_division=zero_division.VALUES[parameters.zero_division],
                labels=study.labels,
            )
            values[system] = table[system]
        else:
            reason = metrics.undefined("no instance of this system was judged")
            values[system] = dict.fromkeys(chosen, reason)
    return values


def _tell(work: Work, done: int, total: int) -> None:
    work.step(done, total, f"Metrics: {done} of {total} systems")
