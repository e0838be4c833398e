"""Which metric agrees with the experts? The analysis of Kurniawan et al. (2026), section 6. Does the answer hold? The
same tests with one thing left out, or counted or exchanged differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from annotations.ground.arrays import Codes, Mask, Matrix, Vector, absent_rows
from annotations.ground.units import EXCHANGEABLE, Exchangeable, count_permutations
from metaeval import metrics
from metaeval.analyses.base.parameters import ZERO_DIVISION
from metaeval.analyses.base.plans import Permutations, Together
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.result import DescribedMetric, MeasuredValue
from metaeval.analyses.base.wording import ALPHA, PlainWords
from metaeval.analyses.base.work import Plan, Purpose, Work
from metaeval.analyses.inputs import Responses, StudyInputs, SubjectKind
from metaeval.analyses.inputs.answers import LOOKED_ALIKE
from metaeval.analyses.inputs.fractions import Both, Fraction, Identical, counted
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.inputs.studies import NO_BAR, Showing, gave_away, looked_alike, moved_decisions, paired
from metaeval.analyses.preference_correlation.correlations import (
    MetricComparisons,
    MetricCorrelations,
    Scores,
    SystemPreferences,
    fractions_of,
)
from metaeval.analyses.preference_correlation.parameters import CONFOUNDED, PreferenceCorrelation, Question
from metaeval.analyses.preference_correlation.result import (
    CorrelationOfMetric,
    JudgedSystem,
    LeastSquaresLine,
    OtherQuestion,
    PreferenceCorrelationFindings,
    PreferenceCorrelationResult,
    Variation,
    VariationKind,
    VariedCorrelation,
    answer,
)
from metaeval.analyses.preference_correlation.tables import shared_notes, tables_of
from metaeval.metrics import DistributionError, MetricValue, WrongTaskError
from metaeval.stats import Coefficient, CorrelationTest, correlation, regression_line, within_correlation

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
    words=PlainWords(
        question="Which metric agrees best with the experts?",
        group="The metrics",
        is_preset=True,
        shows="How well each metric agrees with the experts’ choices, how certain that is, and whether one metric "
        "agrees better than another. It needs experts’ choices about at least three systems.",
        place=0,
        needs={SubjectKind.STUDY: ("preferences", "three systems")},
        compared=("metrics", "values", "instances", "include_pilot"),
        statistics=("coefficients", "level", "permutations", "alternative", "both", "average", "weights"),
        answer=answer,
    ),
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
            zero_division=ZERO_DIVISION[preferences.parameters.zero_division],
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


MOST_PERMUTATIONS = 8192
"""Permutations per test here: one block. The Monte Carlo error is given beside each p-value; near .05 it is .003."""

FEWEST_SYSTEMS = 3
NO_NAME = "(none named)"


@dataclass(frozen=True, eq=False)
class Varied:
    """A variation before it is computed; NaN in `target` leaves a system out."""

    kind: VariationKind
    name: str
    target: Vector
    exchangeable: Exchangeable
    is_asked: bool = False


class Sensitivity:
    """Every variation of an analysis.

    `alike` are the responses that count, with every comparison marked whose two sides looked the same.
    """

    def __init__(self, scores: Scores, preferences: SystemPreferences, alike: Responses) -> None:
        self.scores = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
        self.preferences, self.parameters, self.target = preferences, preferences.parameters, preferences.target
        self._varied = {f"{varied.kind}/{varied.name}": varied for varied in self._variations(alike)}
        permutations: dict[str, Plan] = {
            key: Permutations(
                preferences.permutations(
                    self.scores,
                    varied.target,
                    varied.exchangeable,
                    number=min(self.parameters.permutations, MOST_PERMUTATIONS),
                    purpose=Purpose.SENSITIVITY,
                )
            )
            for key, varied in self._varied.items()
        }
        self.plans: dict[str, Plan] = {"sensitivity": Together(permutations)} if permutations else {}

    def rows(
        self,
        tests: Mapping[str, Sequence[CorrelationTest]] | None,
        questions: Mapping[str, Sequence[CorrelationOfMetric]],
    ) -> list[Variation]:
        """All variations, in order; `questions` are the correlations of each question, the requested one first."""
        rows = [
            Variation(
                kind=varied.kind,
                name=varied.name,
                is_asked=varied.is_asked,
                cannot_reject=self.preferences.least_p(varied.target, varied.exchangeable) > ALPHA,
                rows=[
                    VariedCorrelation(
                        metric=test.row,
                        coefficient=test.coefficient,
                        value=test.value,
                        n=test.n,
                        p_value=test.pvalue,
                        p_error=test.p_error,
                        reason=test.reason,
                    )
                    for test in (tests or {})[key]
                ],
            )
            for key, varied in self._varied.items()
        ]
        cannot_reject = self.preferences.least_p(self.target, self.preferences.exchangeable) > ALPHA
        fields = VariedCorrelation.model_fields
        for place, (name, correlations) in enumerate(questions.items()):
            varied = [VariedCorrelation(**{field: getattr(row, field) for field in fields}) for row in correlations]
            rows.append(
                Variation(kind="values", name=name, is_asked=place == 0, cannot_reject=cannot_reject, rows=varied)
            )
        order = get_args(VariationKind)
        return sorted([*rows, *self._without_systems()], key=lambda row: order.index(row.kind))

    def _variations(self, alike: Responses) -> Iterator[Varied]:
        preferences, choices = self.preferences, self.parameters
        crossing, exchangeable, responses = preferences.crossing, preferences.exchangeable, preferences.responses
        yield from self._without_each("method left out", crossing.method_names, crossing.methods, exchangeable)
        yield from self._without_each("model left out", crossing.model_names, crossing.models, exchangeable)
        if len(crossing.model_names) > 1:
            for code, name in enumerate(crossing.model_names):
                yield from self._without("one model", name, crossing.models != code, "within model")
        judged = preferences.judged(self.target)
        for unit in EXCHANGEABLE:
            if count_permutations(judged, unit) > 1:
                yield Varied("exchangeable", unit, self.target, unit, is_asked=unit == exchangeable)
        if responses.both.any():
            for both in get_args(Both):
                target = self._fractions(responses, both=both)
                yield Varied("both", both, target, exchangeable, is_asked=both == choices.both)
        if alike.looked_alike.any():
            for identical in get_args(Identical):
                target = self._fractions(responses if identical == "keep" else alike, identical=identical)
                yield Varied("identical", identical, target, exchangeable, is_asked=identical == choices.identical)
        # Comparisons that reveal the system are odd systems' worst predictions: leaving them out favours these systems.
        reveals = gave_away(preferences.study)[responses.response]
        if reveals.any() and not reveals.all():
            yield Varied("given away", "left out", self._fractions(responses.of(~reveals)), exchangeable)

    def _fractions(
        self, responses: Responses, *, both: Both | None = None, identical: Identical | None = None
    ) -> Vector:
        fractions = fractions_of(responses, self.preferences.study, self.parameters, both=both, identical=identical)
        return np.array([fraction.fraction for fraction in fractions])

    def _without_each(
        self, kind: VariationKind, names: Sequence[str], codes: Codes, exchangeable: Exchangeable
    ) -> Iterator[Varied]:
        """Leaving out each method, or each model, in turn: `codes` say which of `names` each system has."""
        for code, name in enumerate(names):
            yield from self._without(kind, name, codes == code, exchangeable)

    def _without(self, kind: VariationKind, name: str, omitted: Mask, exchangeable: Exchangeable) -> Iterator[Varied]:
        """A variation without some systems; nothing if too few remain for a correlation, or none was judged."""
        target = np.where(omitted, np.nan, self.target)
        remaining = int(np.isfinite(target).sum())
        if FEWEST_SYSTEMS <= remaining < int(np.isfinite(self.target).sum()):
            yield Varied(kind, name or NO_NAME, target, exchangeable)

    def _without_systems(self) -> list[Variation]:
        """The influence of single systems: only values, if methods or models have more than one system."""
        judged = np.flatnonzero(np.isfinite(self.target))
        crossing = self.preferences.crossing
        sizes = [max(np.bincount(codes), default=0) for codes in (crossing.methods, crossing.models)]
        if min(sizes) <= 1 or len(judged) <= FEWEST_SYSTEMS:
            return []
        return [
            Variation(
                kind="system left out",
                name=self.preferences.study.systems[system],
                is_asked=False,
                cannot_reject=False,
                rows=[
                    self._without_system(metric, coefficient, judged[judged != system])
                    for coefficient in self.parameters.coefficients
                    for metric in self.scores
                ],
            )
            for system in judged.tolist()
        ]

    def _without_system(self, metric: str, coefficient: Coefficient, places: Vector) -> VariedCorrelation:
        places = places[np.isfinite(self.scores[metric][places])]
        x, y, crossing = self.scores[metric][places], self.target[places], self.preferences.crossing
        if self.preferences.statistic == "overall":
            result = correlation(x, y, coefficient)
        else:
            within = crossing.models if self.preferences.statistic == "within models" else crossing.methods
            result = within_correlation(x, y, within[places], coefficient)
        return VariedCorrelation(
            metric=metric,
            coefficient=coefficient,
            value=result.value,
            n=result.n,
            p_value=None,
            p_error=None,
            reason=result.reason,
        )
