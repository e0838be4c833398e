"""Which metric agrees with the experts? The analysis of Kurniawan et al. (2026), section 6."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.result import DescribedMetric, MeasuredValue
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import Responses, StudyInputs
from metaeval.analyses.inputs.answers import LOOKED_ALIKE
from metaeval.analyses.inputs.fractions import Fraction, counted, preference_fractions
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.inputs.studies import looked_alike
from metaeval.analyses.preference_correlation.metric_comparisons import MetricComparisons
from metaeval.analyses.preference_correlation.metric_correlations import MetricCorrelations
from metaeval.analyses.preference_correlation.metric_values import Measured, Values, metric_values, metrics_of
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.questions import CONFOUNDED, Question, asked_for
from metaeval.analyses.preference_correlation.result import (
    CorrelationOfMetric,
    JudgedSystem,
    LeastSquaresLine,
    OtherQuestion,
    PreferenceCorrelationFindings,
    PreferenceCorrelationResult,
)
from metaeval.analyses.preference_correlation.sensitivity import Sensitivity
from metaeval.analyses.preference_correlation.tables import shared_notes, tables_of
from metaeval.analyses.preference_correlation.unit_of_analysis import ChosenUnit
from metaeval.analyses.preference_correlation.wording import WORDS
from metaeval.stats import regression_line

NO_CERTAINTY = "no certainty was given"


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
    responses, alike = _responses(study, parameters)
    unit = ChosenUnit.of(study, parameters)
    fractions = preference_fractions(
        responses,
        study.systems,
        both=parameters.both,
        weights=parameters.weights,
        average=parameters.average,
        identical=parameters.identical,
    )
    _refuse_hopeless(fractions)
    chosen = metrics_of(study, parameters)
    target = [fraction.fraction for fraction in fractions]
    asked, *others = asked_for(parameters.question)
    measured: dict[Question, Measured] = {}
    for number, question in enumerate([asked, *others], start=1):
        work.stage(f"Metrics {question.in_words}", until=0.05 * number)
        measured[question] = metric_values(study, responses, question, parameters=parameters, chosen=chosen, work=work)
    families = {
        question: MetricCorrelations(
            found.scores(study.systems, chosen),
            target,
            study=study,
            responses=responses,
            unit=unit,
            parameters=parameters,
            seed=seed,
            with_bootstrap=question == asked,
        )
        for question, found in measured.items()
    }
    main = measured[asked]
    scores = main.scores(study.systems, chosen)
    compared = MetricComparisons(scores, target, study.systems, unit, parameters=parameters, seed=seed)
    varied = Sensitivity(
        scores, target, study=study, responses=responses, alike=alike, unit=unit, parameters=parameters, seed=seed
    )
    work.stage("Permutations and resamples")
    answers = work.run(
        families[asked].plans
        | compared.plans
        | varied.plans
        | {question.key: families[question].plans["permutations"] for question in others}
    )
    correlations = families[asked].rows(answers["permutations"], answers.get("bootstrap"), main.flags)
    comparisons = compared.rows(answers.get("exchanges"))
    beside = [
        _other_question(
            question,
            measured[question],
            families[question].rows(answers[question.key], flags=measured[question].flags),
            fractions,
            chosen,
        )
        for question in others
    ]
    described = [DescribedMetric.named(name) for name in chosen]
    same = {asked.key: correlations} | {Question(one.values, one.instances).key: one.correlations for one in beside}
    sensitivity = varied.variations(answers.get("sensitivity"), same)
    about = unit.described(np.array(target), parameters)
    return PreferenceCorrelationFindings(
        metrics=described,
        systems=_systems(study, fractions, main.values),
        correlations=correlations,
        comparisons=comparisons,
        values=asked.values,
        instances=asked.instances,
        others=beside,
        unit=about,
        sensitivity=sensitivity,
        tables=tables_of(
            described, correlations, comparisons, beside, unit=about, sensitivity=sensitivity, parameters=parameters
        ),
        lines={name: _line(name, fractions, main.values) for name in chosen},
        counts={**responses.counts, "looked_alike": len(np.unique(responses.comparison[responses.looked_alike]))},
        exclusions=[
            *responses.exclusions,
            *main.exclusions,
            *_left_out(fractions, main.values, chosen),
            *_without_certainty(responses, parameters),
            *_looked_alike(responses, parameters),
        ],
        notes=[*about.sentences, *([CONFOUNDED] if asked.is_confounded else []), *shared_notes(correlations)],
    )


def _other_question(
    question: Question,
    measured: Measured,
    correlations: list[CorrelationOfMetric],
    fractions: list[Fraction],
    chosen: tuple[str, ...],
) -> OtherQuestion:
    return OtherQuestion(
        values=question.values,
        instances=question.instances,
        is_confounded=question.is_confounded,
        metrics={
            system: {name: MeasuredValue.from_found(value) for name, value in values.items()}
            for system, values in measured.values.items()
        },
        correlations=correlations,
        exclusions=[*measured.exclusions, *_undefined(fractions, measured.values, chosen)],
    )


def _responses(study: StudyInputs, parameters: PreferenceCorrelation) -> tuple[Responses, Responses]:
    """The responses that count, and the same with all comparisons marked whose sides looked the same, even in studies
    that did not tell their experts. Answers to these are kept unless something else is requested."""
    responses = study.responses(include_pilot=parameters.include_pilot)
    alike = replace(responses, identical=looked_alike(study)[responses.response])
    return (responses if parameters.identical == "keep" else alike), alike


def _refuse_hopeless(fractions: list[Fraction]) -> None:
    judged = sum(not fraction.reason for fraction in fractions)
    if not judged:
        message = "No responses count yet, so there is nothing to correlate. Collect responses, or include the pilot."
        raise AnalysisError(message)
    if judged < 3:
        message = f"Experts have judged {judged} system(s); a correlation over systems needs at least 3."
        raise AnalysisError(message, systems=judged)


def _systems(study: StudyInputs, fractions: list[Fraction], values: Values) -> list[JudgedSystem]:
    return [
        JudgedSystem.from_found(
            fraction,
            **origin,
            metrics={name: MeasuredValue.from_found(value) for name, value in values[fraction.system].items()},
        )
        for fraction, origin in zip(fractions, study.origins, strict=True)
    ]


def _line(name: str, fractions: list[Fraction], values: Values) -> LeastSquaresLine:
    points = [
        (values[fraction.system][name], fraction.fraction)
        for fraction in fractions
        if not fraction.reason and values[fraction.system][name].is_defined
    ]
    return LeastSquaresLine.from_found(regression_line([x for x, _ in points], [y for _, y in points]))


def _left_out(fractions: list[Fraction], values: Values, chosen: tuple[str, ...]) -> list[Exclusion]:
    """Systems without a preference fraction, and those for which a metric is undefined."""
    unjudged = [
        Exclusion(what="system", system=fraction.system, metric=None, count=1, reason=fraction.reason)
        for fraction in fractions
        if fraction.reason
    ]
    return unjudged + _undefined(fractions, values, chosen)


def _undefined(fractions: list[Fraction], values: Values, chosen: tuple[str, ...]) -> list[Exclusion]:
    return [
        Exclusion(what="system", system=fraction.system, metric=name, count=1, reason=value.reason)
        for name in chosen
        for fraction in fractions
        if not (value := values[fraction.system][name]).is_defined and not fraction.reason
    ]


def _looked_alike(responses: Responses, parameters: PreferenceCorrelation) -> list[Exclusion]:
    kept, _ = counted(responses, both=parameters.both, identical=parameters.identical)
    if gone := len(np.unique(responses.response[~kept])):
        return [Exclusion(what="responses", count=gone, reason=LOOKED_ALIKE)]
    return []


def _without_certainty(responses: Responses, parameters: PreferenceCorrelation) -> list[Exclusion]:
    without = int(np.isnan(responses.certainty).sum())
    if parameters.weights == "certainty" and without:
        return [Exclusion(what="responses", count=without, reason=NO_CERTAINTY)]
    return []
