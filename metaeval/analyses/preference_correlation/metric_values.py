"""Every metric's value for every system: on exact or shown values, on all instances or on those that experts judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from annotations.ground.arrays import Mask, Matrix, absent_rows
from metaeval import metrics
from metaeval.analyses.base.parameters import ZERO_DIVISION
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import Responses, StudyInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.inputs.studies import Showing, moved_decisions, paired
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.questions import Question
from metaeval.metrics import DistributionError, MetricValue, WrongTaskError

Values = Mapping[str, Mapping[str, MetricValue]]
"""By system, then by metric."""

HARD = frozenset({"accuracy", "micro_f1", "macro_f1"})
"""Metrics of decisions: they only see whether a value is above one half, or which one is the largest."""

NO_BAR = "no bar was drawn on one of the sides: a task of single labels has no distribution there"
NOT_KNOWN = "how distributions were shown is not known"
NOT_JUDGED = "no instance of this system was judged"
NOTHING_DRAWN = "no instance has bars on both sides"

Compute = Callable[[Matrix, Mapping[str, Matrix]], Values]


@dataclass(frozen=True)
class Measured:
    """The systems' metric values, what was left out, and remarks about single metrics."""

    values: Values
    exclusions: tuple[Exclusion, ...] = ()
    flags: Mapping[str, str] = field(default_factory=dict)
    """By metric: a sentence about its values."""

    def scores(self, systems: tuple[str, ...], chosen: tuple[str, ...]) -> dict[str, list[float]]:
        """One value per system for each metric, NaN where it is undefined."""
        return {name: [float(self.values[system][name]) for system in systems] for name in chosen}


def metrics_of(study: StudyInputs, parameters: PreferenceCorrelation) -> tuple[str, ...]:
    """The names of the requested metrics, or of the task's."""
    try:
        chosen = metrics.select(metrics.checked_task(study.task), parameters.metrics or None)
    except WrongTaskError as error:
        raise AnalysisError(f"{error}.") from error
    return tuple(entry.name for entry in chosen)


def metric_values(
    study: StudyInputs,
    responses: Responses,
    question: Question,
    *,
    parameters: PreferenceCorrelation,
    chosen: tuple[str, ...],
    work: Work,
) -> Measured:
    """The values by system; `AnalysisError` if the distributions do not allow them."""

    def compute(P: Matrix, Q: Mapping[str, Matrix]) -> Values:
        table = metrics.compute(
            P,
            Q,
            study.task,
            chosen,
            zero_division=ZERO_DIVISION[parameters.zero_division],
            labels=study.labels,
            absent="leave out",
            progress=(lambda done, total: _tell(work, done, total)) if len(Q) > 1 else None,
        )
        return {system: table[system] for system in Q}

    judged = [np.unique(responses.instance[responses.system == place]) for place in range(len(study.systems))]
    try:
        if question.values == "shown":
            if study.showing is None:
                return Measured({system: _undefined(chosen, NOT_KNOWN) for system in study.systems})
            return _on_shown(
                study,
                study.showing,
                judged if question.is_confounded else None,
                chosen=chosen,
                compute=compute,
                work=work,
            )
        if question.is_confounded:
            return _on_judged(study, judged, chosen, compute, work)
        return Measured(compute(study.P, study.Q), tuple(study.data.absences(study.systems)))
    except DistributionError as error:
        raise AnalysisError(f"The metrics cannot be computed: {error}.") from error


def _on_judged(
    study: StudyInputs, judged: list[np.ndarray], chosen: tuple[str, ...], compute: Compute, work: Work
) -> Measured:
    """Each system on the instances on which experts judged it."""
    values: dict[str, Mapping[str, MetricValue]] = {}
    for place, system in enumerate(study.systems):
        _tell(work, place, len(study.systems))
        rows = judged[place]
        values[system] = (
            compute(study.P[rows], {system: study.Q[system][rows]})[system]
            if len(rows)
            else _undefined(chosen, NOT_JUDGED)
        )
    return Measured(values)


def _on_shown(
    study: StudyInputs,
    showing: Showing,
    judged: list[np.ndarray] | None,
    *,
    chosen: tuple[str, ...],
    compute: Compute,
    work: Work,
) -> Measured:
    """Both sides of every instance as its own grid and the study's threshold would show them."""
    people = showing.drawn(study.P, task=study.task)
    values: dict[str, Mapping[str, MetricValue]] = {}
    exclusions = []
    moved = cases = 0
    for place, system in enumerate(study.systems):
        _tell(work, place, len(study.systems))
        exact = study.Q[system]
        drawn = showing.drawn(exact, task=study.task)
        asked: Mask = ~absent_rows(exact)
        if judged is None:
            exclusions += study.data.absences([system])
        else:
            asked = np.isin(np.arange(len(exact)), judged[place])
        pair = paired(people[asked], drawn[asked], task=study.task)
        empty = int((~pair.rows).sum())
        if empty:
            exclusions.append(Exclusion(what="instances", system=system, count=empty, reason=NO_BAR))
        if not asked.any():
            values[system] = _undefined(chosen, NOT_JUDGED)
        elif not len(pair.P):
            values[system] = _undefined(chosen, NOTHING_DRAWN)
        else:
            values[system] = compute(pair.P, {system: pair.Q})[system]
        for side, seen in ((study.P, people), (exact, drawn)):
            moved += moved_decisions(side[asked], seen[asked], task=study.task)
            cases += int(asked.sum()) * (side.shape[1] if study.task == "multilabel" else 1)
    return Measured(values, tuple(exclusions), _flags(study.task, showing, chosen, moved, cases))


def _flags(task: str, showing: Showing, chosen: tuple[str, ...], moved: int, cases: int) -> dict[str, str]:
    """Hard metrics decide on rounded values: how many of these decisions differ."""
    if not moved:
        return {}
    if task == "multilabel":
        even = bool((showing.parts % 2 == 0).any())
        words = f"rounding moved {moved:,} of {cases:,} values across one half, which decides this metric"
        words += " (with an even number of parts .55 becomes .50, which is not above it)" if even else ""
    else:
        words = f"rounding changed the most probable label in {moved:,} of {cases:,} distributions"
    return {name: words for name in chosen if name in HARD}


def _undefined(chosen: tuple[str, ...], reason: str) -> dict[str, MetricValue]:
    return dict.fromkeys(chosen, metrics.undefined(reason))


def _tell(work: Work, done: int, total: int) -> None:
    work.step(done, total, f"Metrics: {done} of {total} systems")
