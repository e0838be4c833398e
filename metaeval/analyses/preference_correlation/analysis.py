"""Which metric agrees with the experts? The analysis of Kurniawan et al. (2026), section 6."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotations.ground.arrays import Codes, Mask, Matrix, absent_rows
from metaeval import metrics
from metaeval.analyses.base import zero_division
from metaeval.analyses.base.measured import DescribedMetric, MeasuredValue
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.answers import LOOKED_ALIKE
from metaeval.analyses.inputs.fractions import Fraction, counted
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.inputs.studies import NO_BAR, Showing, looked_alike, moved_decisions, paired
from metaeval.analyses.preference_correlation.correlations import (
    MetricComparisons,
    MetricCorrelations,
    SystemPreferences,
)
from metaeval.analyses.preference_correlation.parameters import CONFOUNDED, PreferenceCorrelation, Question
from metaeval.analyses.preference_correlation.result import (
    JudgedSystem,
    LeastSquaresLine,
    OtherQuestion,
    PreferenceCorrelationFindings,
    PreferenceCorrelationResult,
)
from metaeval.analyses.preference_correlation.sensitivity import Sensitivity
from metaeval.analyses.preference_correlation.tables import shared_notes, tables_of
from metaeval.analyses.preference_correlation.wording import WORDS
from metaeval.metrics import DistributionError, MetricValue, WrongTaskError
from metaeval.stats import regression_line

NO_CERTAINTY = "no certainty was given"
NOT_KNOWN = "how distributions were shown is not known"
NOT_JUDGED = "no instance of this system was judged"
NOTHING_DRAWN = "no instance has bars on both sides"

HARD = frozenset({"accuracy", "micro_f1", "macro_f1"})
"""Metrics of decisions: they only see whether a value is above one half, or which one is the largest."""

Compute = Callable[[Matrix, Mapping[str, Matrix]], Mapping[str, Mapping[str, MetricValue]]]
"""Computes the metrics of systems, by system, then by metric."""


@dataclass(frozen=True)
class Measured:
    """The systems' metric values (by system, then by metric), what was left out, and remarks about single metrics."""

    values: Mapping[str, Mapping[str, MetricValue]]
    exclusions: Sequence[Exclusion] = ()
    flags: Mapping[str, str] = field(default_factory=dict)

    @property
    def scores(self) -> dict[str, list[float]]:
        """One value per system for each metric, NaN where it is undefined."""
        systems = list(self.values.values())
        return {name: [float(values[name]) for values in systems] for name in systems[0]}

    def stored(self) -> dict[str, dict[str, MeasuredValue]]:
        return {
            system: {name: MeasuredValue.from_found(value) for name, value in values.items()}
            for system, values in self.values.items()
        }

    def undefined(self, fractions: Iterable[Fraction]) -> list[Exclusion]:
        """The judged systems for which a metric is undefined."""
        judged = [fraction.system for fraction in fractions if not fraction.reason]
        return [
            Exclusion(what="system", system=system, metric=name, count=1, reason=self.values[system][name].reason)
            for name in self.scores
            for system in judged
            if not self.values[system][name].is_defined
        ]


@analysis(
    title="Which metric agrees with the experts?",
    subjects=["study"],
    parameters=PreferenceCorrelation,
    result=PreferenceCorrelationResult,
    figures=["scatter", "correlation_dots", "metric_differences", "holding"],
    version=3,
    example={"permutations": 200, "resamples": 100, "exchanges": 100},
    words=WORDS,
)
def preference_correlation(
    study: StudyInputs, parameters: PreferenceCorrelation, seed: int, work: Work
) -> PreferenceCorrelationFindings:
    """Correlates, over systems, each metric's value with how often experts chose the system's distribution.

    Every correlation is tested by permuting the preference fractions, with the same permutations for all metrics, and
    has a bootstrap interval over systems and, nested in them, comparisons and experts. Every pair of metrics is
    compared by Williams' test and by exchanging their values. Source: Kurniawan et al. 2026, section 6; see
    `correlation_tests`, `correlation_intervals`, `williams` and `permutation_comparison` of `metaeval.stats`.
    """
    responses = study.responses(include_pilot=parameters.include_pilot)
    # All comparisons whose sides looked the same, even in studies that did not tell their experts.
    alike = replace(responses, identical=looked_alike(study)[responses.response])
    responses = responses if parameters.identical == "keep" else alike
    preferences = SystemPreferences.of(study, responses, parameters, seed)
    _refuse_hopeless(preferences.fractions)
    names = _metrics(study, parameters)
    requested, *others = parameters.questions
    measured: dict[Question, Measured] = {}
    for number, question in enumerate(parameters.questions, start=1):
        work.stage(f"Metrics {question.in_words}", until=0.05 * number)
        measured[question] = _measured(preferences, question, names, work)
    main = measured[requested]
    families = {
        question: MetricCorrelations(values.scores, preferences, with_bootstrap=question == requested)
        for question, values in measured.items()
    }
    pairs = MetricComparisons(main.scores, preferences)
    varied = Sensitivity(main.scores, preferences, alike)
    work.stage("Permutations and resamples")
    answers = work.run(
        families[requested].plans
        | pairs.plans
        | varied.plans
        | {question.key: families[question].plans["permutations"] for question in others}
    )
    correlations = families[requested].rows(answers["permutations"], main.flags, answers.get("bootstrap"))
    comparisons = pairs.rows(answers.get("exchanges"))
    other_questions = [
        OtherQuestion(
            values=question.values,
            instances=question.instances,
            is_confounded=question.is_confounded,
            metrics=measured[question].stored(),
            correlations=families[question].rows(answers[question.key], measured[question].flags),
            exclusions=[*measured[question].exclusions, *measured[question].undefined(preferences.fractions)],
        )
        for question in others
    ]
    by_question = {requested.key: correlations}
    by_question |= {question.key: other.correlations for question, other in zip(others, other_questions, strict=True)}
    sensitivity = varied.rows(answers.get("sensitivity"), by_question)
    described = [DescribedMetric.named(name) for name in names]
    unit = preferences.described()
    stored = main.stored()
    return PreferenceCorrelationFindings(
        metrics=described,
        systems=[
            JudgedSystem.from_found(fraction, **origin, metrics=stored[fraction.system])
            for fraction, origin in zip(preferences.fractions, study.origins, strict=True)
        ],
        correlations=correlations,
        comparisons=comparisons,
        values=requested.values,
        instances=requested.instances,
        others=other_questions,
        unit=unit,
        sensitivity=sensitivity,
        tables=tables_of(
            described,
            correlations,
            comparisons,
            other_questions,
            unit=unit,
            sensitivity=sensitivity,
            parameters=parameters,
        ),
        lines={name: _line(name, preferences.fractions, main) for name in names},
        counts={**responses.counts, "looked_alike": len(np.unique(responses.comparison[responses.looked_alike]))},
        exclusions=[*responses.exclusions, *main.exclusions, *_exclusions(preferences, main)],
        notes=[*unit.sentences, *([CONFOUNDED] if requested.is_confounded else []), *shared_notes(correlations)],
    )


def _refuse_hopeless(fractions: list[Fraction]) -> None:
    judged = sum(not fraction.reason for fraction in fractions)
    if not judged:
        message = "No responses count yet, so there is nothing to correlate. Collect responses, or include the pilot."
        raise AnalysisError(message)
    if judged < 3:
        message = f"Experts have judged {judged} system(s); a correlation over systems needs at least 3."
        raise AnalysisError(message, systems=judged)


def _line(name: str, fractions: list[Fraction], measured: Measured) -> LeastSquaresLine:
    points = [
        (measured.values[fraction.system][name], fraction.fraction)
        for fraction in fractions
        if not fraction.reason and measured.values[fraction.system][name].is_defined
    ]
    return LeastSquaresLine.from_found(regression_line([x for x, _ in points], [y for _, y in points]))


def _exclusions(preferences: SystemPreferences, measured: Measured) -> list[Exclusion]:
    """Systems without a preference fraction or a metric's value, and responses that do not count."""
    responses, parameters = preferences.responses, preferences.parameters
    exclusions = [
        Exclusion(what="system", system=fraction.system, metric=None, count=1, reason=fraction.reason)
        for fraction in preferences.fractions
        if fraction.reason
    ]
    exclusions += measured.undefined(preferences.fractions)
    without = int(np.isnan(responses.certainty).sum())
    if parameters.weights == "certainty" and without:
        exclusions.append(Exclusion(what="responses", count=without, reason=NO_CERTAINTY))
    counting, _ = counted(responses, both=parameters.both, identical=parameters.identical)
    if alike := len(np.unique(responses.response[~counting])):
        exclusions.append(Exclusion(what="responses", count=alike, reason=LOOKED_ALIKE))
    return exclusions


def _metrics(study: StudyInputs, parameters: PreferenceCorrelation) -> tuple[str, ...]:
    """The names of the requested metrics, or of the task's."""
    try:
        chosen = metrics.select(metrics.checked_task(study.task), parameters.metrics or None)
    except WrongTaskError as error:
        raise AnalysisError(f"{error}.") from error
    return tuple(entry.name for entry in chosen)


def _measured(preferences: SystemPreferences, question: Question, names: tuple[str, ...], work: Work) -> Measured:
    """Every metric's value for every system: on exact or shown values, on all instances or on those that experts
    judged; `AnalysisError` if the distributions do not allow them."""
    study, responses = preferences.study, preferences.responses

    def step(done: int, total: int) -> None:
        work.step(done, total, f"Metrics: {done} of {total} systems")

    def compute(P: Matrix, Q: Mapping[str, Matrix]) -> Mapping[str, Mapping[str, MetricValue]]:
        table = metrics.compute(
            P,
            Q,
            study.task,
            names,
            zero_division=zero_division.VALUES[preferences.parameters.zero_division],
            labels=study.labels,
            absent="leave out",
            progress=step if len(Q) > 1 else None,
        )
        return {system: table[system] for system in Q}

    judged = [np.unique(responses.instance[responses.system == place]) for place in range(len(study.systems))]
    try:
        if question.values == "shown":
            if study.showing is None:
                return Measured(dict.fromkeys(study.systems, _undefined(names, NOT_KNOWN)))
            rows = judged if question.is_confounded else None
            return _on_shown(study, study.showing, rows, names, compute=compute, step=step)
        if not question.is_confounded:
            exact = compute(study.P, study.Q)
            return Measured({system: exact[system] for system in study.systems}, study.data.absences(study.systems))
        values: dict[str, Mapping[str, MetricValue]] = {}
        for place, (system, instances) in enumerate(zip(study.systems, judged, strict=True)):
            step(place, len(study.systems))
            values[system] = _undefined(names, NOT_JUDGED)
            if len(instances):
                values[system] = compute(study.P[instances], {system: study.Q[system][instances]})[system]
        return Measured(values)
    except DistributionError as error:
        raise AnalysisError(f"The metrics cannot be computed: {error}.") from error


def _on_shown(
    study: StudyInputs,
    showing: Showing,
    judged: list[Codes] | None,
    names: tuple[str, ...],
    *,
    compute: Compute,
    step: Callable[[int, int], None],
) -> Measured:
    """Both sides of every instance (or of those that were `judged`) as its own grid and the study's threshold would
    show them."""
    people = showing.drawn(study.P, task=study.task)
    values: dict[str, Mapping[str, MetricValue]] = {}
    exclusions: list[Exclusion] = []
    moved = cases = 0
    for place, system in enumerate(study.systems):
        step(place, len(study.systems))
        exact = study.Q[system]
        drawn = showing.drawn(exact, task=study.task)
        rows: Mask = ~absent_rows(exact)
        if judged is None:
            exclusions += study.data.absences([system])
        else:
            rows = np.isin(np.arange(len(exact)), judged[place])
        pair = paired(people[rows], drawn[rows], task=study.task)
        if empty := int((~pair.rows).sum()):
            exclusions.append(Exclusion(what="instances", system=system, count=empty, reason=NO_BAR))
        if len(pair.P):
            values[system] = compute(pair.P, {system: pair.Q})[system]
        else:
            values[system] = _undefined(names, NOTHING_DRAWN if rows.any() else NOT_JUDGED)
        for side, seen in ((study.P, people), (exact, drawn)):
            moved += moved_decisions(side[rows], seen[rows], task=study.task)
            cases += int(rows.sum()) * (side.shape[1] if study.task == "multilabel" else 1)
    if not moved:
        return Measured(values, exclusions)
    words = f"rounding changed the most probable label in {moved:,} of {cases:,} distributions"
    if study.task == "multilabel":
        words = f"rounding moved {moved:,} of {cases:,} values across one half, which decides this metric"
        if (showing.parts % 2 == 0).any():
            words += " (with an even number of parts .55 becomes .50, which is not above it)"
    return Measured(values, exclusions, {name: words for name in names if name in HARD})


def _undefined(names: tuple[str, ...], reason: str) -> dict[str, MetricValue]:
    return dict.fromkeys(names, metrics.undefined(reason))
