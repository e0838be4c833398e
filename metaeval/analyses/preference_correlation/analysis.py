"""Which metric agrees with the experts? The analysis of Kurniawan et al. (2025), section 6."""

from __future__ import annotations

import numpy as np

from metaeval.analyses.base.measured import DescribedMetric, MeasuredValue
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import Responses, StudyInputs
from metaeval.analyses.inputs.fractions import Fraction, preference_fractions
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.preference_correlation.metric_comparisons import MetricComparisons
from metaeval.analyses.preference_correlation.metric_correlations import MetricCorrelations
from metaeval.analyses.preference_correlation.metric_values import Values, metric_values, metrics_of
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.result import (
    JudgedSystem,
    LeastSquaresLine,
    PreferenceCorrelationFindings,
    PreferenceCorrelationResult,
)
from metaeval.analyses.preference_correlation.tables import shared_notes, tables_of
from metaeval.stats import regression_line


@analysis(
    title="Which metric agrees with the experts?",
    subjects=["study"],
    parameters=PreferenceCorrelation,
    result=PreferenceCorrelationResult,
    figures=["scatter", "correlation_dots", "metric_differences"],
    version=2,
    example={"permutations": 200, "resamples": 100, "exchanges": 100},
)
def preference_correlation(
    study: StudyInputs, parameters: PreferenceCorrelation, seed: int, work: Work
) -> PreferenceCorrelationFindings:
    """Correlates, over systems, each metric's value with how often experts chose the system's distribution.

    Every correlation is tested by permuting the preference fractions, on one set of permutations for all metrics, and
    has a bootstrap interval over systems and, nested in them, comparisons and experts. Every two metrics are compared
    by Williams' test and by exchanging their values. Source: Kurniawan et al. 2025, section 6; see
    `correlation_tests`, `correlation_intervals`, `williams` and `permutation_comparison` of `metaeval.stats`.
    """
    responses = study.responses(include_pilot=parameters.include_pilot)
    fractions = preference_fractions(
        responses, study.systems, both=parameters.both, weights=parameters.weights, average=parameters.average
    )
    _refuse_hopeless(fractions)
    chosen = metrics_of(study, parameters)
    work.stage("Metrics", until=0.05)
    values = metric_values(study, responses, parameters, chosen, work)
    scores = {name: [float(values[system][name]) for system in study.systems] for name in chosen}
    target = [fraction.fraction for fraction in fractions]
    correlated = MetricCorrelations(scores, target, study=study, responses=responses, parameters=parameters, seed=seed)
    compared = MetricComparisons(scores, target, study.systems, parameters, seed)
    work.stage("Permutations and resamples")
    answers = work.run(correlated.plans | compared.plans)
    correlations = correlated.rows(answers["permutations"], answers.get("bootstrap"))
    comparisons = compared.rows(answers.get("exchanges"))
    described = [DescribedMetric.named(name) for name in chosen]
    return PreferenceCorrelationFindings(
        metrics=described,
        systems=_systems(study, fractions, values),
        correlations=correlations,
        comparisons=comparisons,
        tables=tables_of(described, correlations, comparisons, parameters),
        lines={name: _line(name, fractions, values) for name in chosen},
        counts=responses.counts,
        exclusions=[
            *responses.exclusions,
            *_left_out(fractions, values, chosen),
            *_without_certainty(responses, parameters),
        ],
        notes=shared_notes(correlations),
    )


def _refuse_hopeless(fractions: list[Fraction]) -> None:
    judged = sum(not fraction.reason for fraction in fractions)
    if not judged:
        message = "No response counts yet, so there is nothing to correlate. Collect responses, or include the pilot."
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
    """Systems without a preference fraction, and those in which a metric is undefined."""
    unjudged = [
        Exclusion(what="system", system=fraction.system, metric=None, count=1, reason=fraction.reason)
        for fraction in fractions
        if fraction.reason
    ]
    undefined = [
        Exclusion(what="system", system=fraction.system, metric=name, count=1, reason=value.reason)
        for name in chosen
        for fraction in fractions
        if not (value := values[fraction.system][name]).is_defined and not fraction.reason
    ]
    return unjudged + undefined


def _without_certainty(responses: Responses, parameters: PreferenceCorrelation) -> list[Exclusion]:
    without = int(np.isnan(responses.certainty).sum())
    if parameters.weights == "certainty" and without:
        return [Exclusion(what="responses", count=without, reason="no certainty was given")]
    return []
