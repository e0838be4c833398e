"""Which metric agrees with the experts? The analysis of Kurniawan et al. (2025), section 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from metaeval import metrics
from metaeval.analyses.base import seeding, zero_division
from metaeval.analyses.base.plans import Permutations
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Plan, Work
from metaeval.analyses.inputs import Responses, StudyInputs
from metaeval.analyses.inputs.fractions import Fraction, judgements_behind, preference_fractions
from metaeval.analyses.preference_correlation.metric_comparisons import MetricComparisons
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.tables import comparison_table, correlation_table, shared_notes
from metaeval.metrics import DistributionError, MetricValue, WrongTaskError
from metaeval.stats import (
    Coefficient,
    CorrelationBootstrap,
    CorrelationInterval,
    CorrelationTest,
    PermutationPlan,
    benjamini_hochberg,
    holm,
    plain,
    regression_line,
)

TARGET = "the preference fractions"
Values = dict[str, dict[str, MetricValue]]


@analysis(
    title="Which metric agrees with the experts?",
    subjects=["study"],
    parameters=PreferenceCorrelation,
    figures=["scatter", "correlation_dots", "metric_differences"],
    version=2,
    example={"permutations": 200, "resamples": 100, "exchanges": 100},
)
def preference_correlation(
    study: StudyInputs, parameters: PreferenceCorrelation, seed: int, work: Work
) -> dict[str, Any]:
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
    judged = [fraction for fraction in fractions if not fraction.reason]
    _refuse_hopeless(judged)
    chosen = _metrics(study, parameters)
    work.stage("Metrics", until=0.05)
    values = _metric_values(study, responses, parameters, chosen, work)
    scores = {name: [float(values[system][name]) for system in study.systems] for name in chosen}
    target = [fraction.fraction for fraction in fractions]
    tested = PermutationPlan(
        scores,
        target,
        coefficients=parameters.coefficients,
        permutations=parameters.permutations,
        seed=seeding.root(seed, seeding.Purpose.PERMUTATIONS),
        alternative=parameters.alternative,
        two_sided=parameters.two_sided,
        systems=study.systems,
        target_name=TARGET,
    )
    bootstrap = _bootstrap(study, responses, parameters, scores, seed)
    comparisons = MetricComparisons(
        scores,
        target,
        coefficients=parameters.coefficients,
        exchanges=parameters.exchanges,
        seed=seeding.root(seed, seeding.Purpose.PAIRED_METRICS),
        systems=study.systems,
    )
    plans: dict[str, Plan] = {"permutations": Permutations(tested)}
    plans |= {"bootstrap": bootstrap.plan} if bootstrap else {}
    plans |= {"exchanges": comparisons.plan} if comparisons.plan else {}

    work.stage("Permutations and resamples")
    answers = work.run(plans)
    intervals = bootstrap and bootstrap.intervals(
        answers["bootstrap"], level=parameters.level, method=parameters.interval
    )
    correlations = plain(_corrected(answers["permutations"], intervals or (), parameters.coefficients))
    compared = plain(comparisons.rows(answers.get("exchanges")))
    described = [_described(name) for name in chosen]
    return {
        "metrics": described,
        "systems": [
            {
                **fraction.to_dict(),
                **origin,
                "metrics": {name: value.to_dict() for name, value in values[fraction.system].items()},
            }
            for fraction, origin in zip(fractions, study.origins, strict=True)
        ],
        "correlations": correlations,
        "comparisons": compared,
        "tables": [
            correlation_table(described, correlations, parameters),
            *([comparison_table(described, compared, turned=comparisons.turned)] if compared else []),
        ],
        "lines": {name: _line(name, fractions, values) for name in chosen},
        "counts": responses.counts,
        "exclusions": [*responses.exclusions, *_exclusions(fractions, values, chosen, responses, parameters)],
        "notes": shared_notes(correlations),
    }


def _refuse_hopeless(judged: list[Fraction]) -> None:
    if not judged:
        message = "No response counts yet, so there is nothing to correlate. Collect responses, or include the pilot."
        raise AnalysisError(message)
    if len(judged) < 3:
        message = f"Experts have judged {len(judged)} system(s); a correlation over systems needs at least 3."
        raise AnalysisError(message, systems=len(judged))


def _metrics(study: StudyInputs, parameters: PreferenceCorrelation) -> tuple[str, ...]:
    try:
        chosen = metrics.select(metrics.checked_task(study.task), parameters.metrics or None)
    except WrongTaskError as error:
        raise AnalysisError(f"{error}.") from error
    return tuple(entry.name for entry in chosen)


def _bootstrap(
    study: StudyInputs,
    responses: Responses,
    parameters: PreferenceCorrelation,
    scores: Mapping[str, Sequence[float]],
    seed: int,
) -> CorrelationBootstrap | None:
    """The intervals before the first resample is drawn; None where none are asked for."""
    if not parameters.resamples:
        return None
    judged = judgements_behind(
        responses, study.systems, both=parameters.both, weights=parameters.weights, average=parameters.average
    )
    return CorrelationBootstrap(
        scores,
        judged,
        over=parameters.over,
        coefficients=parameters.coefficients,
        resamples=parameters.resamples,
        seed=seeding.root(seed, seeding.Purpose.CORRELATION_BOOTSTRAP),
        target_name=TARGET,
    )


def _metric_values(
    study: StudyInputs,
    responses: Responses,
    parameters: PreferenceCorrelation,
    chosen: tuple[str, ...],
    work: Work,
) -> Values:
    """Every metric of every system, on all instances or on those that experts judged for that system."""
    undefined_ratio = zero_division.VALUES[parameters.zero_division]
    values: Values = {}

    def measured(done: int, total: int) -> None:
        work.step(done, total, f"Metrics: {done} of {total} systems")

    try:
        if parameters.instances == "all":
            table = metrics.compute(
                study.P,
                study.Q,
                study.task,
                chosen,
                zero_division=undefined_ratio,
                labels=study.labels,
                progress=measured,
            )
            return {system: table[system] for system in study.systems}
        for place, system in enumerate(study.systems):
            measured(place, len(study.systems))
            shown = np.unique(responses.instance[responses.system == place])
            if len(shown):
                rows = {system: study.Q[system][shown]}
                table = metrics.compute(
                    study.P[shown], rows, study.task, chosen, zero_division=undefined_ratio, labels=study.labels
                )
                values[system] = table[system]
            else:
                reason = metrics.undefined("no instance of this system was judged")
                values[system] = dict.fromkeys(chosen, reason)
    except DistributionError as error:
        raise AnalysisError(f"The metrics cannot be computed: {error}.") from error
    return values


def _described(name: str) -> dict[str, Any]:
    entry = metrics.get(name)
    return {"name": name, "title": entry.title, "orientation": entry.orientation, "range": list(entry.range)}


def _corrected(
    tests: Sequence[CorrelationTest], intervals: Sequence[CorrelationInterval], coefficients: Sequence[Coefficient]
) -> list[dict[str, Any]]:
    """The tests as rows, with their intervals and the corrections over the metrics of each coefficient."""
    of_row = {(found.coefficient, found.row): found for found in intervals}
    rows = []
    for coefficient in coefficients:
        family = [test for test in tests if test.coefficient == coefficient]
        p = [test.p_value for test in family]
        for test, p_holm, p_bh in zip(family, holm(p), benjamini_hochberg(p), strict=True):
            row = test.to_dict()
            row["metric"] = row.pop("row")
            found = of_row.get((coefficient, test.row))
            interval = found and {**found.interval.to_dict(), "over": list(found.over), "notes": list(found.notes)}
            rows.append({**row, "p_holm": p_holm, "p_bh": p_bh, "interval": interval})
    return rows


def _line(name: str, fractions: list[Fraction], values: Values) -> dict[str, Any]:
    points = [
        (values[fraction.system][name], fraction.fraction)
        for fraction in fractions
        if not fraction.reason and values[fraction.system][name].is_defined
    ]
    return regression_line([x for x, _ in points], [y for _, y in points]).to_dict()


def _exclusions(
    fractions: list[Fraction],
    values: Mapping[str, Mapping[str, MetricValue]],
    chosen: tuple[str, ...],
    responses: Responses,
    parameters: PreferenceCorrelation,
) -> list[dict[str, Any]]:
    """What was left out of what, and why."""
    listed: list[dict[str, Any]] = [
        {"what": "system", "system": fraction.system, "metric": None, "count": 1, "reason": fraction.reason}
        for fraction in fractions
        if fraction.reason
    ]
    listed += [
        {"what": "system", "system": fraction.system, "metric": name, "count": 1, "reason": value.reason}
        for name in chosen
        for fraction in fractions
        if not (value := values[fraction.system][name]).is_defined and not fraction.reason
    ]
    without = int(np.isnan(responses.certainty).sum())
    if parameters.weights == "certainty" and without:
        listed.append({"what": "responses", "count": without, "reason": "no certainty was given"})
    return listed
